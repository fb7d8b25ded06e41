/// Sockets of the programs behind MCP: `ProgramDoor` connects the aggregator with a program that it starts,
/// `EgressDoor` with hosts that the profile names.
@NullMarked
package dev.capsem.process.mcp.io;

import org.jspecify.annotations.NullMarked;
