/// Model traffic understood: requests and streams of the known providers become normalized events, a summary, a price
/// and a place in a conversation. Pure: no IO, no clock of its own. Untrusted bytes from both sides; nothing here
/// throws because of them. Entry type: `ModelObserver`.
@NullMarked
package dev.capsem.llm;

import org.jspecify.annotations.NullMarked;
