package dev.capsem.exchange.http;

import dev.capsem.exchange.http.body.BodyReader;
import dev.capsem.exchange.http.body.Chunk;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.function.Consumer;

/// Reads text as it is, or fails to.
final class TextReader implements BodyReader {
    private final boolean isBroken;
    private boolean hasRead;

    TextReader(boolean isBroken) {
        this.isBroken = isBroken;
    }

    @Override
    public boolean isCoded() {
        return false;
    }

    @Override
    public void read(Chunk chunk, Consumer<ByteBuffer> out) {
        hasRead |= chunk.size() > 0;
        if (!isBroken && chunk instanceof TextChunk text && text.size() > 0) {
            out.accept(ByteBuffer.wrap(text.text().getBytes(StandardCharsets.UTF_8)));
        }
    }

    @Override
    public void end() {}

    @Override
    public Optional<String> trouble() {
        return isBroken && hasRead ? Optional.of("it is not what its Content-Encoding says") : Optional.empty();
    }

    @Override
    public long atMost(int more) {
        return more;
    }

    @Override
    public void close() {}
}
