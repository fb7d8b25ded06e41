/// The backend that performs allowed calls: the aggregator at the other end of two pipes, or none. Entry type:
/// `ToolBackend`. Decides nothing, and starts no process itself.
@NullMarked
package dev.capsem.mcp.backend;

import org.jspecify.annotations.NullMarked;
