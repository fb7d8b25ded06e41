/// The MCP endpoint of one sandbox: frames of port 5002 in, JSON-RPC judged before and after, backends behind a
/// port. Entry type: `McpEndpoint`. Sees `wire` and `events` only: rules, telemetry and processes are ports that
/// whoever wires it supplies.
@NullMarked
package dev.capsem.mcp;

import org.jspecify.annotations.NullMarked;
