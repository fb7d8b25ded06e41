package dev.capsem.wire.io;

import java.io.IOException;

/// The other side broke the framing; the connection cannot go on.
public final class MalformedFrameException extends IOException {
    private static final long serialVersionUID = 1L;

    public MalformedFrameException(String reason) {
        super(reason);
    }
}
