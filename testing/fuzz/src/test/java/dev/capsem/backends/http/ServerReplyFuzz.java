package dev.capsem.backends.http;

import dev.capsem.fuzz.Property;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Optional;

/// Heads, bodies and event streams of external MCP servers: refused with an IOException or read, within the limits.
public final class ServerReplyFuzz {
    private static final int EVENT_BYTES_MAX = 200;

    private ServerReplyFuzz() {}

    public static void fuzzerTestOneInput(byte[] data) {
        try {
            InputStream in = new ByteArrayInputStream(data);
            HttpHead head = HttpHead.read(in);
            Property.holds(head.status() >= 100 && head.status() <= 999, "no status");
            byte[] body = BodyStream.of(in, "GET", head).readAllBytes();
            Property.holds(body.length <= data.length, "a body out of nothing");
        } catch (IOException refused) {
            // As it should be.
        }
        try {
            SseReader events = new SseReader(new ByteArrayInputStream(data), EVENT_BYTES_MAX);
            for (Optional<SseReader.Event> event = events.next(); event.isPresent(); event = events.next()) {
                Property.holds(event.get().data().length() <= 2 * EVENT_BYTES_MAX, "an event above the limit");
            }
        } catch (IOException refused) {
            // As it should be.
        }
    }
}
