package dev.capsem.exchange.http.body;

import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.function.Consumer;

/// The port that undoes a body's content codings, for those who look at it.
public interface BodyReader extends AutoCloseable {
    boolean isCoded();

    /// @param out its buffer is valid during the call only
    void read(Chunk chunk, Consumer<ByteBuffer> out);

    /// No more comes: a body without an end by now was cut off.
    void end();

    /// Why nothing more can be told about the content, once that is so.
    Optional<String> trouble();

    /// How much that many bytes may become.
    long atMost(int more);

    @Override
    void close();
}
