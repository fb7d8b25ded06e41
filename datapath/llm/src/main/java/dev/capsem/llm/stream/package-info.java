/// Cuts a reply's bytes into pieces of JSON: server-sent events, or the elements of an array. Any split of the input
/// gives the same pieces; nothing is held beyond the stated limits. Entry types: `SseParser`, `ArrayParser`.
@NullMarked
package dev.capsem.llm.stream;

import org.jspecify.annotations.NullMarked;
