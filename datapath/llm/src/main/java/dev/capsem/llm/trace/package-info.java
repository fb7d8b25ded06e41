/// Which turns of an agent belong together. Entry type: `TraceState`. Sees only ids.
@NullMarked
package dev.capsem.llm.trace;

import org.jspecify.annotations.NullMarked;
