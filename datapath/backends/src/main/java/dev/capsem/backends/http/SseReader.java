package dev.capsem.backends.http;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;

/// Reads server-sent events off a body.
public final class SseReader {
    private final InputStream in;
    private final int eventBytesMax;
    private Optional<String> lastId = Optional.empty();
    private Optional<Duration> retry = Optional.empty();
    private boolean isAfterReturn;
    private boolean isFirst = true;

    /// @param eventBytesMax of one event's data, and of any line
    public SseReader(InputStream in, int eventBytesMax) {
        this.in = new BufferedInputStream(in);
        this.eventBytesMax = eventBytesMax;
    }

    /// @param name `message` if the server gave none
    public record Event(String name, String data) {}

    /// The id of the last event that had one, to go on from after the connection broke.
    public Optional<String> lastId() {
        return lastId;
    }

    /// How long the server wants us to wait before that.
    public Optional<Duration> retry() {
        return retry;
    }

    /// Empty at the end of the stream. Events without data are skipped, as the standard says, but their ids count.
    public Optional<Event> next() throws IOException {
        StringBuilder data = new StringBuilder();
        boolean hasData = false;
        String name = "message";
        for (Optional<String> line = line(); line.isPresent(); line = line()) {
            String text = line.get();
            if (text.isEmpty()) {
                if (hasData) {
                    return Optional.of(new Event(name, data.toString()));
                }
                name = "message";
                continue;
            }
            int colon = text.indexOf(':');
            String field = colon < 0 ? text : text.substring(0, colon);
            String value = colon < 0 ? "" : text.substring(colon + 1);
            value = value.startsWith(" ") ? value.substring(1) : value;
            switch (field) {
                case "event" -> name = value;
                case "data" -> {
                    if (data.length() + value.length() > eventBytesMax) {
                        throw new IOException("the server sent an event that is too large");
                    }
                    if (hasData) {
                        data.append('\n');
                    }
                    data.append(value);
                    hasData = true;
                }
                case "id" -> lastId = value.indexOf('\0') >= 0 ? lastId : Optional.of(value);
                case "retry" -> {
                    if (value.matches("[0-9]{1,8}")) {
                        retry = Optional.of(Duration.ofMillis(Long.parseLong(value)));
                    }
                }
                default -> {
                    // A comment, or a field of the future.
                }
            }
        }
        return Optional.empty();
    }

    /// Lines end with CR, LF or both.
    private Optional<String> line() throws IOException {
        var line = new ByteArrayOutputStream();
        while (true) {
            int next = in.read();
            if (next == '\n' && isAfterReturn) {
                isAfterReturn = false;
                continue;
            }
            isAfterReturn = next == '\r';
            if (next < 0) {
                return Optional.empty();
            }
            if (next == '\n' || next == '\r') {
                String text = line.toString(StandardCharsets.UTF_8);
                boolean hasMark = isFirst && text.startsWith("\uFEFF");
                isFirst = false;
                return Optional.of(hasMark ? text.substring(1) : text);
            }
            if (line.size() >= eventBytesMax) {
                throw new IOException("the server sent a line that is too long");
            }
            line.write(next);
        }
    }
}
