/// The model APIs of three providers, streaming and not, with a tool call in the first turn. Entry type: `ModelApi`.
@NullMarked
package dev.capsem.testkit.llm;

import org.jspecify.annotations.NullMarked;
