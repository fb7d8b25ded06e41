/// Messages between an MCP client and servers: [McpCall] for requests of either side, and [McpNotice] for what waits
/// for no answer. Their shells are in `mcp.connection`. Sees `events` only.
@NullMarked
package dev.capsem.exchange.mcp;

import org.jspecify.annotations.NullMarked;
