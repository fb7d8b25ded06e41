/// MCP of one sandbox: the endpoint behind port 5002, the isolated programs behind the endpoint, and the doors between
/// them. Entry type: `McpStage`. Whatever is started here runs in a sandbox of its own that `ToolPolicy` compiled; the
/// secrets of servers pass through on their way into a pipe and are kept nowhere.
@NullMarked
package dev.capsem.process.mcp;

import org.jspecify.annotations.NullMarked;
