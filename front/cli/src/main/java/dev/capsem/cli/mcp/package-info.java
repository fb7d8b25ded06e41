/// Commands about MCP servers: list, add from the JSON that servers publish, remove, test; and about
/// the tools of running sandboxes. None of them calls a tool.
@NullMarked
package dev.capsem.cli.mcp;

import org.jspecify.annotations.NullMarked;
