/// capsem-mcp's own log. Entry type: `McpLog`.
@NullMarked
package dev.capsem.hostmcp.io;

import org.jspecify.annotations.NullMarked;
