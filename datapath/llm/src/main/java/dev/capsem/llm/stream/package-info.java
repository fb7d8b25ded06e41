/// Cuts a reply's bytes into pieces of JSON: server-sent events, the elements of an array, objects in sequence, or
/// binary messages. Any split of the input gives the same pieces; nothing is held beyond the stated limits. Entry
/// types: `SseParser`, `ArrayParser`, `SequenceParser`, `FrameParser`.
@NullMarked
package dev.capsem.llm.stream;

import org.jspecify.annotations.NullMarked;
