package dev.capsem.network;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.events.row.NetRow;
import dev.capsem.events.row.Outcome;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import javax.net.ssl.SSLSocket;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// HTTP/2 requests that no client sends by mistake, written frame by frame.
@Timeout(180)
@Tag("sockets")
class Http2StrictnessTest {
    private static final int RST_STREAM = 3;
    private static final int GOAWAY = 7;
    private static final int SILENCE = -2;

    /// @param block the header block, in HPACK without a dynamic table
    private record Shape(String name, byte[] block) {}

    private static byte[] block(Object... parts) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (Object part : parts) {
            if (part instanceof Integer indexed) {
                out.write(indexed);
            } else if (part instanceof String field) {
                int split = field.indexOf('=');
                out.write(0);
                text(out, field.substring(0, split));
                text(out, field.substring(split + 1));
            }
        }
        return out.toByteArray();
    }

    private static void text(ByteArrayOutputStream out, String text) {
        out.write(text.length());
        out.writeBytes(text.getBytes(StandardCharsets.US_ASCII));
    }

    private static final int GET = 0x82;
    private static final int ROOT = 0x84;
    private static final int HTTPS = 0x87;
    private static final String AUTHORITY = ":authority=" + Door.HOST;

    private static final List<Shape> SHAPES = List.of(
            new Shape("no path", block(GET, HTTPS, AUTHORITY)),
            new Shape("no method", block(ROOT, HTTPS, AUTHORITY)),
            new Shape("two paths", block(GET, HTTPS, ROOT, ":path=/other", AUTHORITY)),
            new Shape("a pseudo-header after a header", block(GET, HTTPS, ROOT, "accept=a", AUTHORITY)),
            new Shape("a pseudo-header of a response", block(GET, HTTPS, ROOT, AUTHORITY, ":status=200")),
            new Shape("an unknown pseudo-header", block(GET, HTTPS, ROOT, AUTHORITY, ":other=1")),
            new Shape("an upper-case name", block(GET, HTTPS, ROOT, AUTHORITY, "X-A=b")),
            new Shape("a connection header", block(GET, HTTPS, ROOT, AUTHORITY, "connection=close")),
            new Shape("a transfer coding", block(GET, HTTPS, ROOT, AUTHORITY, "transfer-encoding=chunked")),
            new Shape("a line feed in a value", block(GET, HTTPS, ROOT, AUTHORITY, "x-a=b\r\nx-c: d")));

    @Test
    void refusesMalformedRequests() throws Exception {
        try (Origin origin = Origin.tls(Door.ORIGINS, Door.HOST, true, HttpsExchangeTest::ok);
                Door door = new Door.Setup().open()) {
            int count = 0;
            SoftAssertions softly = new SoftAssertions();
            for (Shape shape : SHAPES) {
                try (SSLSocket socket = door.tls(origin.port(), Door.HOST, "h2")) {
                    ByteArrayOutputStream out = new ByteArrayOutputStream();
                    out.writeBytes("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
                    out.writeBytes(new byte[] {0, 0, 0, 4, 0, 0, 0, 0, 0});
                    out.writeBytes(new byte[] {0, 0, (byte) shape.block().length, 1, 5, 0, 0, 0, 1});
                    out.writeBytes(shape.block());
                    socket.getOutputStream().write(out.toByteArray());
                    socket.getOutputStream().flush();

                    softly.assertThat(refusal(socket.getInputStream()))
                            .as(shape.name())
                            .isIn(RST_STREAM, GOAWAY, -1);
                }
                count++;
            }
            softly.assertAll();

            assertThat(origin.log()).isEmpty();
            assertThat(door.rows(count))
                    .hasSizeGreaterThanOrEqualTo(count)
                    .extracting(NetRow::decision)
                    .containsOnly(Outcome.DENIED);
        }
    }

    /// The type of the first frame that says no; headers would be an answer.
    private static int refusal(InputStream in) throws Exception {
        while (true) {
            byte[] head;
            try {
                head = in.readNBytes(9);
            } catch (SocketTimeoutException silence) {
                return SILENCE;
            }
            if (head.length < 9) {
                return -1;
            }
            int length = (head[0] & 0xff) << 16 | (head[1] & 0xff) << 8 | (head[2] & 0xff);
            in.readNBytes(length);
            if (head[3] == RST_STREAM || head[3] == GOAWAY || head[3] == 1) {
                return head[3];
            }
        }
    }
}
