/// The parts that all routes of the sandbox-server API share: errors, bodies, Connect frames and access. Entry type:
/// [dev.capsem.sandboxserver.protocol.SandboxServerTable]. Knows nothing of sandboxes.
@NullMarked
package dev.capsem.sandboxserver.protocol;

import org.jspecify.annotations.NullMarked;
