/// The tables of the sandbox-server API, and its composition out of desks. Entry
/// type: [dev.capsem.service.v1.routes.SandboxServerRoutes].
@NullMarked
package dev.capsem.service.v1.routes;

import org.jspecify.annotations.NullMarked;
