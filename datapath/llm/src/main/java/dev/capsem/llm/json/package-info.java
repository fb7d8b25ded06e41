/// Reads JSON straight from bytes, without a tree and without throwing: hostile input ends in a flag, not in an
/// exception. Members are visited in order and skipped unless asked for, so the cost is that of one pass. Entry type:
/// `JsonCursor`. Depends on nothing of ours.
@NullMarked
package dev.capsem.llm.json;

import org.jspecify.annotations.NullMarked;
