package dev.capsem.network;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.events.row.Outcome;
import dev.capsem.network.io.GuestConnection;
import java.io.ByteArrayOutputStream;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// The sandbox's own way in: a Unix socket instead of TCP.
@Timeout(180)
@Tag("sockets")
class UnixSocketTest {
    @TempDir
    Path directory;

    @Test
    void servesAGuestThatSaysAllItHasToSayAndListens() throws Exception {
        UnixDomainSocketAddress address = UnixDomainSocketAddress.of(directory.resolve("5002"));
        try (Origin origin = Origin.plain(HttpsExchangeTest::ok);
                Door door = new Door.Setup().open();
                ServerSocketChannel listener =
                        ServerSocketChannel.open(StandardProtocolFamily.UNIX).bind(address);
                SocketChannel client = SocketChannel.open(address)) {
            SocketChannel accepted = listener.accept();
            Thread.ofVirtual().start(() -> door.engine().serve(new GuestConnection(accepted)));
            write(client, "\0CAPSEM_META:nc\n\0CAPSEM_DST:127.0.0.1:" + origin.port() + "\n");
            write(client, "GET /half HTTP/1.1\r\nHost: " + Door.HOST + "\r\n\r\n");
            client.shutdownOutput();

            String answer = readAll(client);

            assertThat(answer).startsWith("HTTP/1.1 200 OK\r\n").endsWith("hello /half");
            assertThat(door.rows(1).get(0).decision()).isEqualTo(Outcome.ALLOWED);
            assertThat(door.rows(1).get(0).caller().processName()).contains("nc");
        }
    }

    private static void write(SocketChannel client, String text) throws Exception {
        client.write(ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII)));
    }

    private static String readAll(SocketChannel client) throws Exception {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        ByteBuffer buffer = ByteBuffer.allocate(4_096);
        while (client.read(buffer) >= 0) {
            all.write(buffer.array(), 0, buffer.position());
            buffer.clear();
        }
        return all.toString(StandardCharsets.US_ASCII);
    }
}
