package dev.capsem.client.io;

import dev.capsem.client.LiveFeed;
import dev.capsem.wire.json.Json;
import dev.capsem.wire.json.JsonShapeException;
import java.util.Optional;

/// [LiveFeed] as the service streams it: server-sent events.
final class LiveStream implements LiveFeed {
    private final ServerSentEvents events;

    LiveStream(LineStream lines) {
        this.events = new ServerSentEvents(lines);
    }

    @Override
    public Optional<Happening> next() {
        return events.next(LiveStream::happening);
    }

    /// Data that cannot be read is not shown; the next event may be readable.
    private static Optional<Happening> happening(String kind, String data) {
        try {
            return Optional.of(new Happening(kind, Json.parse(data)));
        } catch (JsonShapeException malformed) {
            return Optional.empty();
        }
    }

    @Override
    public void close() {
        events.close();
    }
}
