/// Judging and recording: every message in either direction becomes an event before it goes on, and evidence after.
/// Entry type: `McpPorts`. Sees only the ports of `events`.
@NullMarked
package dev.capsem.mcp.record;

import org.jspecify.annotations.NullMarked;
