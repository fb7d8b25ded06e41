package dev.capsem.process.door;

import dev.capsem.process.record.Recorder;
import dev.capsem.wire.guest.Preamble;
import java.io.IOException;
import java.nio.channels.ByteChannel;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;

/// Port 5002: notes who wanted to go where, and closes.
public final class RefuseAll implements Door {
    private static final Preamble.Destination UNKNOWN = new Preamble.Destination("unknown", 0);

    private final Recorder recorder;
    private final InstantSource clock;

    public RefuseAll(Recorder recorder, InstantSource clock) {
        this.recorder = recorder;
        this.clock = clock;
    }

    @Override
    public void serve(ByteChannel connection) throws IOException {
        Instant at = clock.instant();
        Optional<Preamble> preamble = new PreambleReader(connection).preamble();
        Preamble.Destination destination =
                preamble.flatMap(Preamble::destination).orElse(UNKNOWN);
        recorder.connectionRefused(
                at, destination.address(), destination.port(), preamble.flatMap(Preamble::processName));
    }
}
