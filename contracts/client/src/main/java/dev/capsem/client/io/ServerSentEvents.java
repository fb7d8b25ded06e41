package dev.capsem.client.io;

import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.function.BiFunction;

/// Server-sent events of the service, one line of data each.
final class ServerSentEvents implements AutoCloseable {
    private final LineStream lines;

    ServerSentEvents(LineStream lines) {
        this.lines = lines;
    }

    /// The next event that `read` understands, by its kind and its data; empty when the stream is over.
    <T> Optional<T> next(BiFunction<String, String, Optional<T>> read) {
        String kind = "";
        for (Optional<byte[]> line = lines.next(); line.isPresent(); line = lines.next()) {
            String text = new String(line.get(), StandardCharsets.UTF_8).stripTrailing();
            if (text.startsWith("event:")) {
                kind = text.substring("event:".length()).strip();
            } else if (text.startsWith("data:")) {
                Optional<T> event = read.apply(kind, text.substring("data:".length()));
                if (event.isPresent()) {
                    return event;
                }
            }
        }
        return Optional.empty();
    }

    @Override
    public void close() {
        lines.close();
    }
}
