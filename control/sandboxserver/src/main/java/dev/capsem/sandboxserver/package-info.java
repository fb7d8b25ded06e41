/// The sandbox-server API: `/v1/*` and the Connect protocol, with their own error envelope and their own tokens, over
/// the same sandboxes as the rest of the service. Entry type: [dev.capsem.sandboxserver.SandboxServerApi], which puts
/// the parts together.
@NullMarked
package dev.capsem.sandboxserver;

import org.jspecify.annotations.NullMarked;
