/// Sockets of the programs behind MCP: `ProgramSocket` connects the aggregator with a program that it starts,
/// `EgressProxy` with hosts that the profile names.
@NullMarked
package dev.capsem.process.mcp.io;

import org.jspecify.annotations.NullMarked;
