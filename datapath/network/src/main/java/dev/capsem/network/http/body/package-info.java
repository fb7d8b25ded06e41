/// Bodies as they pass: `BodyChunk` (a piece of one), `ContentDecoder` (a coded one, read) and `HeldBytes` (how much of
/// them is held for rules).
@NullMarked
package dev.capsem.network.http.body;

import org.jspecify.annotations.NullMarked;
