/// The sandbox-server API, put together out of its parts. Entry
/// type: [dev.capsem.service.v1.routes.SandboxServerParts].
@NullMarked
package dev.capsem.service.v1.routes;

import org.jspecify.annotations.NullMarked;
