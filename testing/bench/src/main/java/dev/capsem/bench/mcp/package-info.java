/// How many calls of an echo tool a second go from a guest through relay, endpoint, aggregator and built-in tools,
/// beside a direct connection with the same program and npm's mcp-proxy in front of it. Entry type: `McpBench`. The
/// load comes from a program inside the sandbox, `load.mjs`.
@NullMarked
package dev.capsem.bench.mcp;

import org.jspecify.annotations.NullMarked;
