/// MCP server entries: how they are named and reached, how they are read from TOML and JSON (`McpServerReader`),
/// found in the settings of other AI tools (`HostTool`), and handed to the aggregator (`ServerDefinitions`).
/// Tokens are named here, never held. No IO.
@NullMarked
package dev.capsem.profiles.mcp;

import org.jspecify.annotations.NullMarked;
