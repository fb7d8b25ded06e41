package dev.capsem.exchange.http.body;

import dev.capsem.events.security.Headers;

/// A piece of a body. An exchange counts it, has it read by a [BodyReader] and passes it on as it is.
public interface Chunk {
    int size();

    /// Whether the message ends with it.
    boolean isLast();

    /// Fields behind a response's body, with its last piece.
    default Headers trailers() {
        return Headers.NONE;
    }

    /// The same piece with other fields behind it; this one is not used any more.
    default Chunk withTrailers(Headers changed) {
        throw new IllegalStateException("nothing follows a piece of this kind");
    }

    /// Nobody needs it any more.
    void release();
}
