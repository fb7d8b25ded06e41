/// Bytes ↔ messages on a guest's connection: `RequestDecoder` reads HTTP/1 strictly, `FrameWatch` counts the HTTP/2
/// frames that Netty does not count. Knows nothing of hosts or rules.
@NullMarked
package dev.capsem.network.http.codec;

import org.jspecify.annotations.NullMarked;
