package dev.capsem.process.door;

import dev.capsem.process.record.Recorder;
import dev.capsem.wire.guest.Preamble;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ByteChannel;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;

/// Port 5007: answers every question with REFUSED.
public final class RefusingDnsDoor implements Door {
    private final Recorder recorder;
    private final InstantSource clock;

    public RefusingDnsDoor(Recorder recorder, InstantSource clock) {
        this.recorder = recorder;
        this.clock = clock;
    }

    @Override
    public void serve(ByteChannel connection) throws IOException {
        Received received = new Received(connection);
        Optional<Preamble> preamble = received.preamble();
        if (preamble.isEmpty()) {
            return;
        }
        while (true) {
            Optional<byte[]> message = received.dnsMessage();
            if (message.isEmpty()) {
                return;
            }
            DnsQuery query = DnsQuery.parse(message.get());
            if (query instanceof DnsQuery.Understood understood) {
                Instant at = clock.instant();
                recorder.questionsRefused(
                        at,
                        understood.questions(),
                        DnsQuery.RESPONSE_CODE_REFUSED,
                        preamble.get().processName());
            }
            byte[] refusal = query.refusal();
            if (refusal.length == 0) {
                return;
            }
            write(connection, refusal);
        }
    }

    private static void write(ByteChannel connection, byte[] message) throws IOException {
        ByteBuffer frame = ByteBuffer.allocate(2 + message.length)
                .putShort((short) message.length)
                .put(message)
                .flip();
        while (frame.hasRemaining()) {
            connection.write(frame);
        }
    }
}
