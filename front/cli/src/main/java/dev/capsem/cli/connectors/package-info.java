/// Commands about MCP servers: list, add from the JSON that servers publish, remove.
@NullMarked
package dev.capsem.cli.connectors;

import org.jspecify.annotations.NullMarked;
