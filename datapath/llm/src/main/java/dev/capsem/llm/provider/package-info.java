/// The providers' formats: requests become `CallRequest`, replies become `LlmEvent`s. One class per format
/// and direction; what a format does not say stays absent. Entry types: `ApiFormat`, `ReplyStream`. Sees JSON, events
/// and streams, nothing of tools, prices or traces.
@NullMarked
package dev.capsem.llm.provider;

import org.jspecify.annotations.NullMarked;
