package dev.capsem.exchange.http.body;

import java.nio.ByteBuffer;

/// Stands between a body's decoder and all who look at it: they see what it lets pass.
public interface BodyCleaner {
    /// @return what may be looked at now; valid as long as the piece is
    ByteBuffer clean(ByteBuffer piece);

    /// No more comes.
    ByteBuffer rest();
}
