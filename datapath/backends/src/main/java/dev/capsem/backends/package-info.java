/// The two isolated programs behind the MCP endpoint: `AggregatorMain` (capsem-mcp-aggregator) and `BuiltinMain`
/// (capsem-mcp-builtin). They see `wire` only: no rules, no database, no service.
@NullMarked
package dev.capsem.backends;

import org.jspecify.annotations.NullMarked;
