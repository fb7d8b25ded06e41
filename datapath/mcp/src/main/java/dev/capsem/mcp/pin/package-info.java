/// Tools that change under one's feet: what each looked like when a person agreed to it, what is different now, and
/// what in its words is meant to be overlooked. Pure but for `PinnedTools`, which asks the backend for its catalog.
/// Entry type: `ToolPins`.
@NullMarked
package dev.capsem.mcp.pin;

import org.jspecify.annotations.NullMarked;
