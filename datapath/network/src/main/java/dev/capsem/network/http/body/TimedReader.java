package dev.capsem.network.http.body;

import dev.capsem.events.security.Headers;
import dev.capsem.exchange.http.body.BodyReader;
import dev.capsem.exchange.http.body.Chunk;
import dev.capsem.network.metrics.NetworkMetrics;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.function.Consumer;

/// Undoes the codings of a body that Netty holds, and counts how long that takes.
public record TimedReader(ContentDecoder decoder, NetworkMetrics metrics) implements BodyReader {
    public static BodyReader of(Headers headers, NetworkMetrics metrics) {
        return new TimedReader(ContentDecoder.of(headers.value("content-encoding")), metrics);
    }

    @Override
    public boolean isCoded() {
        return decoder.isCoded();
    }

    @Override
    public void read(Chunk chunk, Consumer<ByteBuffer> out) {
        long started = System.nanoTime();
        decoder.decode(BodyChunk.content(chunk).content(), out);
        metrics.hookRan(NetworkMetrics.Hook.INSPECTION, System.nanoTime() - started);
    }

    @Override
    public void end() {
        decoder.end();
    }

    @Override
    public Optional<String> trouble() {
        return decoder.trouble();
    }

    @Override
    public long atMost(int more) {
        return decoder.atMost(more);
    }

    @Override
    public void close() {
        decoder.close();
    }
}
