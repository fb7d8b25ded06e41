package dev.capsem.backends.io;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.capsem.backends.FakeMcpServer;
import dev.capsem.backends.http.HttpClient;
import dev.capsem.backends.http.HttpFields;
import dev.capsem.backends.http.HttpResponse;
import dev.capsem.backends.http.HttpUrl;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.net.ssl.SSLSocketFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
@Tag("sockets")
class TunnelDialerTest {
    private final List<String> asked = new CopyOnWriteArrayList<>();

    @TempDir
    Path directory;

    private ServerSocketChannel listener;
    private Path socket;

    @BeforeEach
    void start() throws IOException {
        socket = directory.resolve("e");
        listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        listener.bind(UnixDomainSocketAddress.of(socket));
        Thread.ofPlatform().daemon().start(this::accept);
    }

    @AfterEach
    void stop() throws IOException {
        listener.close();
    }

    @Test
    void requestsReachTheirServerThroughTheTunnel() throws Exception {
        try (FakeMcpServer server = new FakeMcpServer();
                HttpClient http = new HttpClient(
                        new Connector(new TunnelDialer(socket), (SSLSocketFactory) SSLSocketFactory.getDefault()))) {
            HttpUrl url = HttpUrl.parse(server.url()).orElseThrow();

            try (HttpResponse response =
                    http.send("GET", url, HttpFields.NONE, Optional.empty(), HttpClient.Watch.NOBODY)) {
                assertThat(response.status()).isEqualTo(405);
            }
            assertThat(asked).containsExactly("CONNECT 127.0.0.1:" + url.port() + " HTTP/1.1");
        }
    }

    @Test
    void aRefusedTunnelIsNoConnection() {
        assertThatThrownBy(() -> new TunnelDialer(socket).dial("refused", 443))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("does not let this program reach refused:443");
    }

    private void accept() {
        try {
            while (true) {
                SocketChannel guest = listener.accept();
                Thread.ofPlatform().daemon().start(() -> serve(guest));
            }
        } catch (IOException e) {
            // The test is over.
        }
    }

    /// What the host does for an isolated program: a host and port, or a refusal.
    private void serve(SocketChannel guest) {
        try {
            InputStream in = Channels.newInputStream(guest);
            StringBuilder head = new StringBuilder();
            while (!head.toString().endsWith("\r\n\r\n")) {
                head.append((char) in.read());
            }
            String line = head.substring(0, head.indexOf("\r\n"));
            asked.add(line);
            OutputStream out = Channels.newOutputStream(guest);
            if (line.contains("refused")) {
                out.write("HTTP/1.1 403 Forbidden\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
                guest.close();
                return;
            }
            Socket server = new Socket(
                    InetAddress.getLoopbackAddress(), Integer.parseInt(line.replaceAll(".*:(\\d+) .*", "$1")));
            out.write("HTTP/1.1 200 OK\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            Thread.ofPlatform().daemon().start(() -> copy(server, out));
            in.transferTo(server.getOutputStream());
        } catch (IOException e) {
            // One of the two went away.
        }
    }

    private static void copy(Socket server, OutputStream out) {
        try {
            server.getInputStream().transferTo(out);
        } catch (IOException e) {
            // One of the two went away.
        }
    }
}
