package dev.capsem.wire.io;

import dev.capsem.wire.service.ExecEvent;
import dev.capsem.wire.service.ServiceJson;
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
            Optional<ExecEvent> event = line.flatMap(ServiceJson::parse).flatMap(ExecEvent::fromJson);
            if (event.isPresent()) {
                return event;
            }
        }
    }

    @Override
    public void close() {
        lines.close();
    }
}
