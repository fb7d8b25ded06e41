/// The frames that carry MCP between a sandbox and the host on port 5002: a fixed header, the caller's process name and
/// one JSON-RPC message. Entry type: `McpFrames`. Knows nothing of what the payload says.
@NullMarked
package dev.capsem.wire.mcp;

import org.jspecify.annotations.NullMarked;
