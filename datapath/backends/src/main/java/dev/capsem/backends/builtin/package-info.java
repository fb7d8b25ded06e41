/// capsem-mcp-builtin: the tools that every sandbox has, as an MCP server on stdio. Entry type: `BuiltinServer`. Runs
/// isolated; what its HTTP tools may reach is decided where their connections lead.
@NullMarked
package dev.capsem.backends.builtin;

import org.jspecify.annotations.NullMarked;
