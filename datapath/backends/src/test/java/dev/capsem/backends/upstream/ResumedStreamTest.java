package dev.capsem.backends.upstream;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.backends.http.HttpClient;
import dev.capsem.backends.io.Connector;
import dev.capsem.backends.io.DirectDialer;
import dev.capsem.wire.aggregator.ServerDefinition;
import dev.capsem.wire.json.Json;
import dev.capsem.wire.jsonrpc.JsonRpcId;
import dev.capsem.wire.jsonrpc.JsonRpcMessage;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLSocketFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// A server that ends the stream of a call, lets it be taken up again, and drops connections that rest meanwhile.
@Timeout(120)
@Tag("sockets")
class ResumedStreamTest implements Transport.Inbox {
    private final BlockingQueue<JsonRpcMessage> received = new LinkedBlockingQueue<>();
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private final AtomicInteger asked = new AtomicInteger();
    private volatile int pieces = 1;
    private ServerSocket server;
    private HttpClient http;
    private StreamableTransport transport;

    @BeforeEach
    void start() throws Exception {
        server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        Thread.ofVirtual().start(this::accept);
        http = new HttpClient(new Connector(new DirectDialer(), (SSLSocketFactory) SSLSocketFactory.getDefault()));
        ServerDefinition definition = ServerDefinition.listOf(Json.parse(
                        "[{\"name\":\"fickle\",\"url\":\"http://127.0.0.1:" + server.getLocalPort() + "/mcp\"}]"))
                .getFirst();
        transport = new StreamableTransport(http, Endpoint.of(definition), this);
    }

    @AfterEach
    void stop() throws Exception {
        http.close();
        server.close();
    }

    @Test
    void theCallAfterATakenUpStreamMeetsNoDeadConnection() throws Exception {
        for (int call = 1; call <= 5; call++) {
            call(call);
        }

        assertThat(asked).as("each call once, none twice").hasValue(5);
    }

    @Test
    void everyConnectionOfATakenUpStreamIsGivenBack() throws Exception {
        for (int call = 1; call <= 20; call++) {
            call(call);
        }

        long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (open.size() > 2 && System.nanoTime() < until) {
            Thread.sleep(10);
        }
        assertThat(open).as("connections after twenty streams").hasSizeLessThanOrEqualTo(2);
    }

    @Test
    void aStreamThatBringsSomethingEachTimeIsTakenUpAsOftenAsItEnds() throws Exception {
        pieces = 12;

        call(1);

        assertThat(asked).hasValue(1);
    }

    private void call(int id) throws Exception {
        transport.send(
                new JsonRpcMessage.Request(JsonRpcId.of(id), "tools/call", Optional.empty()),
                OptionalLong.of(id),
                new Handle());
        assertThat(received.poll(60, TimeUnit.SECONDS))
                .isInstanceOfSatisfying(
                        JsonRpcMessage.Result.class,
                        result -> assertThat(result.id()).isEqualTo(JsonRpcId.of(id)));
    }

    // --- the server ---------------------------------------------------------------------------------------------

    private void accept() {
        try {
            while (true) {
                Socket socket = server.accept();
                open.add(socket);
                Thread.ofVirtual().start(() -> serve(socket));
            }
        } catch (IOException closed) {
            open.forEach(ResumedStreamTest::close);
        }
    }

    private void serve(Socket socket) {
        try {
            BufferedReader in =
                    new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII));
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                boolean isCall = line.startsWith("POST");
                int length = 0;
                int seen = 0;
                for (String field = in.readLine(); !field.isEmpty(); field = in.readLine()) {
                    length = field.startsWith("Content-Length:") ? Integer.parseInt(field.substring(16)) : length;
                    seen = field.startsWith("Last-Event-ID:") ? Integer.parseInt(field.substring(15)) : seen;
                }
                for (int i = 0; i < length; i++) {
                    in.read();
                }
                answer(socket, isCall, seen);
            }
        } catch (IOException e) {
            // The client went away.
        } finally {
            open.remove(socket);
            close(socket);
        }
    }

    /// A call gets the first event and no answer; what rests by the time it is taken up again is dropped.
    private void answer(Socket socket, boolean isCall, int seen) throws IOException {
        String event = "id: " + (seen + 1) + "\nretry: 1\ndata: \n\n";
        if (isCall) {
            asked.incrementAndGet();
        } else {
            open.stream().filter(other -> !other.equals(socket)).forEach(ResumedStreamTest::close);
            if (seen >= pieces) {
                event = "data: {\"jsonrpc\":\"2.0\",\"id\":" + asked.get() + ",\"result\":{}}\n\n";
            }
        }
        socket.getOutputStream()
                .write(("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
                                + Integer.toHexString(event.length()) + "\r\n" + event + "\r\n0\r\n\r\n")
                        .getBytes(StandardCharsets.US_ASCII));
    }

    private static void close(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            // It is over either way.
        }
    }

    // --- what comes back ----------------------------------------------------------------------------------------

    @Override
    public void received(JsonRpcMessage message, OptionalLong call) {
        received.add(message);
    }

    @Override
    public void spoiled(Optional<JsonRpcId> id, String reason) {}

    @Override
    public void lost(String reason) {}
}
