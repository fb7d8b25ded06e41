/// capsem-mcp: an MCP server on stdio, through which an agent on this host makes, uses, inspects and debugs sandboxes.
/// Entry type: `HostMcpMain`; the tools are in `tools`, the way to the service in `io`. Sees only `wire`.
@NullMarked
package dev.capsem.hostmcp;

import org.jspecify.annotations.NullMarked;
