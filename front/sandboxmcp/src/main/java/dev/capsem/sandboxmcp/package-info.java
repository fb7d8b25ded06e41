/// mitos-mcp: an MCP server through which any client drives a sandbox server, here or elsewhere, with one token. Entry
/// type: `SandboxMcpMain`; the tools are in `tools`, the network in `io`. Sees only `wire`.
@NullMarked
package dev.capsem.sandboxmcp;

import org.jspecify.annotations.NullMarked;
