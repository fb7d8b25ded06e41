package dev.capsem.mcp;

import dev.capsem.events.vocabulary.IdSource;
import dev.capsem.mcp.backend.ToolBackend;
import dev.capsem.mcp.connection.EndpointDependencies;
import dev.capsem.mcp.connection.McpLimits;
import dev.capsem.mcp.connection.SharedInterests;
import dev.capsem.mcp.record.CallTraces;
import dev.capsem.mcp.record.McpPorts;
import dev.capsem.wire.Decoded;
import dev.capsem.wire.json.Json;
import dev.capsem.wire.mcp.McpFrame;
import dev.capsem.wire.mcp.McpFrames;
import dev.capsem.wire.mcp.McpFrames.Incoming;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ByteChannel;
import java.nio.channels.Pipe;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import tools.jackson.databind.JsonNode;

/// The relay's end of a connection to an endpoint, over two pipes.
final class GuestEnd implements AutoCloseable {
    private final Pipe toHost;
    private final Pipe toGuest;
    private ByteBuffer received = ByteBuffer.allocate(16 * 1024).flip();
    private final CompletableFuture<Void> served = new CompletableFuture<>();
    private long lastStream;

    /// Connected to an endpoint that has nothing special but its ports.
    static GuestEnd to(McpPorts ports, ToolBackend backend, InstantSource clock, IdSource ids) throws IOException {
        EndpointDependencies parts = new EndpointDependencies(
                ports,
                backend,
                CallTraces.NONE,
                new SharedInterests(backend),
                McpLimits.DEFAULT,
                clock,
                ids,
                "0.1.0",
                text -> text);
        return new GuestEnd(new McpEndpoint(parts), "node");
    }

    GuestEnd(McpEndpoint endpoint, String processName) throws IOException {
        toHost = Pipe.open();
        toGuest = Pipe.open();
        ByteChannel channel = new ByteChannel() {
            @Override
            public int read(ByteBuffer into) throws IOException {
                return toHost.source().read(into);
            }

            @Override
            public int write(ByteBuffer from) throws IOException {
                return toGuest.sink().write(from);
            }

            @Override
            public boolean isOpen() {
                return toGuest.sink().isOpen();
            }

            @Override
            public void close() throws IOException {
                toGuest.sink().close();
                toHost.source().close();
            }
        };
        Thread.ofVirtual().start(() -> {
            try {
                endpoint.serve(channel, ByteBuffer.allocate(0), Optional.of(processName));
                served.complete(null);
            } catch (IOException | RuntimeException e) {
                served.completeExceptionally(e);
            } finally {
                try {
                    channel.close();
                } catch (IOException e) {
                    served.completeExceptionally(e);
                }
            }
        });
    }

    /// Sends a request on the next stream.
    long request(String json) throws IOException {
        send(new McpFrame(++lastStream, "claude", json.getBytes(StandardCharsets.UTF_8)));
        return lastStream;
    }

    void alone(String json) throws IOException {
        send(new McpFrame(0, "claude", json.getBytes(StandardCharsets.UTF_8)));
    }

    void send(McpFrame frame) throws IOException {
        sendBytes(McpFrames.encode(frame));
    }

    void sendBytes(byte[] bytes) throws IOException {
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        while (buffer.hasRemaining()) {
            toHost.sink().write(buffer);
        }
    }

    /// The next frame; empty at the end of the stream.
    Optional<McpFrame> next() throws IOException {
        while (true) {
            if (McpFrames.decode(received)
                    instanceof Decoded.Message<Incoming>(Incoming.Frame(McpFrame frame), int n)) {
                received.position(received.position() + n);
                return Optional.of(frame);
            }
            received.compact();
            if (!received.hasRemaining()) {
                received = ByteBuffer.allocate(2 * received.capacity()).put(received.flip());
            }
            int count = toGuest.source().read(received);
            received.flip();
            if (count < 0) {
                return Optional.empty();
            }
        }
    }

    JsonNode reply() throws IOException {
        return Json.parse(next().orElseThrow().payload());
    }

    String replyText() throws IOException {
        return new String(next().orElseThrow().payload(), StandardCharsets.UTF_8);
    }

    void finish() throws IOException {
        toHost.sink().close();
    }

    /// Waits until the endpoint is done with the connection; throws what ended it.
    void awaitEnd() throws InterruptedException, ExecutionException, TimeoutException {
        served.get(60, TimeUnit.SECONDS);
    }

    @Override
    public void close() throws IOException {
        toHost.sink().close();
        toGuest.source().close();
    }
}
