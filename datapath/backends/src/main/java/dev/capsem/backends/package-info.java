/// The two isolated programs behind the MCP endpoint: `AggregatorMain` (capsem-mcp-aggregator) and `BuiltinMain`
/// (capsem-mcp-builtin). They see `wire`, and the matcher of `broker` for credentials in answers: no
/// rules, no database, no service.
@NullMarked
package dev.capsem.backends;

import org.jspecify.annotations.NullMarked;
