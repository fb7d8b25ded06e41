package dev.capsem.client.io;

import dev.capsem.wire.json.Json;
import dev.capsem.wire.json.JsonShapeException;
import dev.capsem.wire.service.ExecEvent;
import dev.capsem.wire.service.ServiceError;
import java.io.Closeable;
import java.util.Optional;

/// The events of one streamed exec. Closing it before the end kills the command.
public final class ExecStream implements Closeable {
    private final LineStream lines;

    ExecStream(LineStream lines) {
        this.lines = lines;
    }

    /// The next event; empty when the stream is over.
    public Optional<ExecEvent> next() {
        while (true) {
            Optional<byte[]> line = lines.next();
            if (line.isEmpty()) {
                return Optional.empty();
            }
            Optional<ExecEvent> event = parse(line.get());
            if (event.isPresent()) {
                return event;
            }
        }
    }

    private static Optional<ExecEvent> parse(byte[] line) {
        try {
            return ExecEvent.fromJson(Json.parse(line));
        } catch (JsonShapeException e) {
            return Optional.of(new ExecEvent.Failed(
                    new ServiceError("the service sent a line that is " + e.reason(), "bad_stream", "try again")));
        }
    }

    @Override
    public void close() {
        lines.close();
    }
}
