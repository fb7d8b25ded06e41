/// The 26 tools: their descriptions, what they ask the service, and how its answers are put to a model. Entry type:
/// `HostTools`. Reaches the service only through the port `SandboxService`.
@NullMarked
package dev.capsem.hostmcp.tools;

import org.jspecify.annotations.NullMarked;
