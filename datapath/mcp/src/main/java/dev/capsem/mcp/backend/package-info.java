/// Who carries out what the endpoint let through: the aggregator at the other end of two pipes, or nobody. Entry type:
/// `ToolBackend`. Decides nothing, and starts no process itself.
@NullMarked
package dev.capsem.mcp.backend;

import org.jspecify.annotations.NullMarked;
