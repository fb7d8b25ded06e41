/// A model's answer, the same for every provider: ten kinds of events, and the summary they add up to. Entry types:
/// `LlmEvent`, `StreamSummary`. Depends on nothing of ours.
@NullMarked
package dev.capsem.llm.event;

import org.jspecify.annotations.NullMarked;
