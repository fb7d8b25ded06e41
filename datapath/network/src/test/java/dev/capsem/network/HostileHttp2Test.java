package dev.capsem.network;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.events.row.Outcome;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufAllocatorMetricProvider;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// A guest that attacks the HTTP/2 codec: each attack runs into a limit that has a name, is on record, and costs
/// neither memory nor the next guest's service.
@Timeout(180)
@Tag("sockets")
class HostileHttp2Test {
    private static final byte[] PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
    private static final int DATA = 0;
    private static final int HEADERS = 1;
    private static final int PRIORITY = 2;
    private static final int RST_STREAM = 3;
    private static final int SETTINGS = 4;
    private static final int PING = 6;
    private static final int CONTINUATION = 9;
    private static final int END_STREAM = 1;
    private static final int END_HEADERS = 4;
    private static final int FRAME_BYTES = 16 * 1024;

    /// Far more than any attack gets to send.
    private static final int FRAMES = 1_000_000;

    private static final long MEMORY_BYTES_MAX = 64L * 1024 * 1024;

    /// @see #attack
    enum Attack {
        HPACK_BOMB("header block"),
        LONG_HEADERS("header block"),
        CONTINUATIONS_WITHOUT_END("CONTINUATION"),
        RAPID_RESET("resets"),
        SETTINGS_FLOOD("control frames"),
        PING_FLOOD("control frames"),
        PRIORITY_FLOOD("control frames"),
        EMPTY_DATA("empty DATA");

        private final String limit;

        Attack(String limit) {
            this.limit = limit;
        }
    }

    @ParameterizedTest
    @EnumSource
    void isStoppedByALimitAndRecorded(Attack attack) throws Exception {
        try (Origin origin = Origin.tls(Door.ORIGINS, Door.HOST, true, HttpsExchangeTest::ok);
                Door door = new Door.Setup().open();
                SSLSocket socket = door.tls(origin.port(), Door.HOST, "h2")) {
            boolean wasStopped = wasStopped(attack, socket);

            assertThat(wasStopped).isTrue();
            // Requests that got through before are on record as well, in any order.
            Door.await(() -> refusals(door).stream().anyMatch(reason -> reason.contains(attack.limit)));
            assertThat(refusals(door)).anySatisfy(reason -> assertThat(reason).contains(attack.limit));
            // A bounded number of requests got through before the limit: no more rows than streams were allowed.
            assertThat(door.rows(1).size()).isLessThan(1_000);
            assertThat(memoryUsed()).isLessThan(MEMORY_BYTES_MAX);
            anotherGuestIsServed(door, origin);
        }
    }

    private static List<String> refusals(Door door) {
        return door.netRows().stream()
                .filter(row -> row.decision() == Outcome.DENIED)
                .map(row -> row.policy().reason().orElse(""))
                .toList();
    }

    @Test
    void streamsBeyondThoseAgreedAreRefused() throws Exception {
        try (Origin origin = Origin.tls(Door.ORIGINS, Door.HOST, true, HttpsExchangeTest::ok);
                Door door = new Door.Setup().open();
                SSLSocket socket = door.tls(origin.port(), Door.HOST, "h2")) {
            OutputStream out = socket.getOutputStream();
            out.write(PREFACE);
            out.write(frame(SETTINGS, 0, 0, new byte[0]));
            for (int stream = 1; stream < 600; stream += 2) {
                // Without an end, so that each stays open.
                out.write(frame(HEADERS, END_HEADERS, stream, block("POST")));
            }
            out.flush();

            int refused = 0;
            while (refused < 300 - 256) {
                byte[] head = socket.getInputStream().readNBytes(9);
                int length = (head[0] & 0xff) << 16 | (head[1] & 0xff) << 8 | (head[2] & 0xff);
                byte[] payload = socket.getInputStream().readNBytes(length);
                refused += head[3] == RST_STREAM && payload[3] == 7 ? 1 : 0;
            }
            anotherGuestIsServed(door, origin);
        }
    }

    private static boolean wasStopped(Attack attack, SSLSocket socket) throws IOException {
        // Reads what the door says, as an attacker would who wants to be answered.
        Thread reader = Thread.ofVirtual().start(() -> {
            try {
                socket.getInputStream().transferTo(OutputStream.nullOutputStream());
            } catch (IOException over) {
                // As intended.
            }
        });
        try {
            attack(attack, socket.getOutputStream());
            reader.join(Door.PATIENCE_MILLIS);
            return !reader.isAlive();
        } catch (IOException closed) {
            return true;
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private static void attack(Attack attack, OutputStream out) throws IOException {
        out.write(PREFACE);
        out.write(frame(SETTINGS, 0, 0, new byte[0]));
        switch (attack) {
            case HPACK_BOMB -> {
                ByteArrayOutputStream bomb = new ByteArrayOutputStream();
                bomb.writeBytes(block("GET"));
                // One entry of 4 000 bytes in the table, then as often as fits: sixteen kilobytes that say 60 MB.
                bomb.write(0x40);
                bomb.write(1);
                bomb.write('a');
                bomb.writeBytes(new byte[] {0x7f, (byte) (0x80 | ((4_000 - 127) & 0x7f)), (byte) ((4_000 - 127) >> 7)});
                bomb.writeBytes("x".repeat(4_000).getBytes(StandardCharsets.US_ASCII));
                while (bomb.size() < FRAME_BYTES) {
                    bomb.write(0xbe);
                }
                for (int stream = 1; stream < FRAMES; stream += 2) {
                    out.write(frame(HEADERS, END_HEADERS | END_STREAM, stream, bomb.toByteArray()));
                }
            }
            case LONG_HEADERS -> {
                out.write(frame(HEADERS, END_STREAM, 1, block("GET")));
                byte[] literal = new byte[FRAME_BYTES];
                java.util.Arrays.fill(literal, (byte) 0x82);
                for (int i = 0; i < FRAMES; i++) {
                    out.write(frame(CONTINUATION, 0, 1, literal));
                }
            }
            case CONTINUATIONS_WITHOUT_END -> {
                out.write(frame(HEADERS, END_STREAM, 1, block("GET")));
                repeat(out, frame(CONTINUATION, 0, 1, new byte[0]));
            }
            case RAPID_RESET -> {
                for (int stream = 1; stream < FRAMES; stream += 2) {
                    out.write(frame(HEADERS, END_HEADERS | END_STREAM, stream, block("GET")));
                    out.write(frame(RST_STREAM, 0, stream, new byte[] {0, 0, 0, 8}));
                }
            }
            case SETTINGS_FLOOD -> repeat(out, frame(SETTINGS, 0, 0, new byte[] {0, 4, 0, 1, 0, 0}));
            case PING_FLOOD -> repeat(out, frame(PING, 0, 0, new byte[8]));
            case PRIORITY_FLOOD -> repeat(out, frame(PRIORITY, 0, 3, new byte[] {0, 0, 0, 0, 7}));
            case EMPTY_DATA -> {
                out.write(frame(HEADERS, END_HEADERS, 1, block("POST")));
                repeat(out, frame(DATA, 0, 1, new byte[0]));
            }
        }
        out.flush();
    }

    private static void repeat(OutputStream out, byte[] frame) throws IOException {
        int together = 200;
        ByteArrayOutputStream many = new ByteArrayOutputStream(frame.length * together);
        for (int i = 0; i < together; i++) {
            many.writeBytes(frame);
        }
        for (int i = 0; i < FRAMES / together; i++) {
            out.write(many.toByteArray());
        }
    }

    private static byte[] frame(int type, int flags, int stream, byte[] payload) {
        ByteArrayOutputStream out = new ByteArrayOutputStream(9 + payload.length);
        out.writeBytes(new byte[] {
            (byte) (payload.length >> 16),
            (byte) (payload.length >> 8),
            (byte) payload.length,
            (byte) type,
            (byte) flags,
            (byte) (stream >> 24),
            (byte) (stream >> 16),
            (byte) (stream >> 8),
            (byte) stream
        });
        out.writeBytes(payload);
        return out.toByteArray();
    }

    /// A head in HPACK that needs no table.
    private static byte[] block(String method) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.write(method.equals("GET") ? 0x82 : 0x83);
        out.write(0x84);
        out.write(0x87);
        out.write(0x01);
        out.write(Door.HOST.length());
        out.writeBytes(Door.HOST.getBytes(StandardCharsets.US_ASCII));
        return out.toByteArray();
    }

    private static long memoryUsed() {
        var metric = ((ByteBufAllocatorMetricProvider) ByteBufAllocator.DEFAULT).metric();
        return metric.usedDirectMemory() + metric.usedHeapMemory();
    }

    private static void anotherGuestIsServed(Door door, Origin origin) throws Exception {
        try (SSLSocket socket = door.tls(origin.port(), Door.HOST);
                Http1Client client = new Http1Client(socket)) {
            assertThat(client.exchange("GET /still HTTP/1.1\r\nHost: " + Door.HOST + "\r\n\r\n")
                            .text())
                    .isEqualTo("hello /still");
        }
    }
}
