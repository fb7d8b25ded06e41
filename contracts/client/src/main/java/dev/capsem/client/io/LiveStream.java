package dev.capsem.client.io;

import dev.capsem.client.LiveFeed;
import dev.capsem.wire.json.Json;
import dev.capsem.wire.json.JsonShapeException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/// [LiveFeed] as the service streams it: server-sent events.
final class LiveStream implements LiveFeed {
    private final LineStream lines;

    LiveStream(LineStream lines) {
        this.lines = lines;
    }

    @Override
    public Optional<Happening> next() {
        String kind = "";
        for (Optional<byte[]> line = lines.next(); line.isPresent(); line = lines.next()) {
            String text = new String(line.get(), StandardCharsets.UTF_8).stripTrailing();
            if (text.startsWith("event:")) {
                kind = text.substring("event:".length()).strip();
            } else if (text.startsWith("data:")) {
                try {
                    return Optional.of(new Happening(kind, Json.parse(text.substring("data:".length()))));
                } catch (JsonShapeException malformed) {
                    // What does not read is not shown; the next one may.
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
