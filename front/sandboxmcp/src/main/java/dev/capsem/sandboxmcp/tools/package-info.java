/// The tools, resources and prompts of mitos-mcp. Entry type: `SandboxTools`. Reaches the sandbox server only through
/// the port `SandboxServerClient`.
@NullMarked
package dev.capsem.sandboxmcp.tools;

import org.jspecify.annotations.NullMarked;
