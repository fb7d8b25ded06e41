package dev.capsem.process.mcp.io;

import dev.capsem.wire.io.Deadline;
import dev.capsem.wire.io.TaskScope;
import dev.capsem.wire.io.UnixListener;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The only way out for a program behind MCP: `CONNECT host:port`, for hosts that somebody else allows. What flows
/// afterwards is not looked at; with TLS it could not be.
public final class EgressDoor implements AutoCloseable {
    private static final int CONNECTIONS_MAX = 256;
    private static final int HEAD_BYTES_MAX = 4 * 1024;
    private static final int CHUNK_BYTES = 32 * 1024;
    private static final Duration HEAD_TIME_MAX = Duration.ofSeconds(10);
    private static final Duration CONNECT_TIME_MAX = Duration.ofSeconds(10);
    private static final String MODE = "rw-rw-rw-";

    /// Decides, and puts on record what it refuses.
    public interface Gate {
        /// May wait for a person.
        boolean allows(String host, int port) throws InterruptedException;
    }

    private record Destination(String host, int port) {}

    private final UnixListener listener;
    private final Gate gate;
    private final Semaphore places = new Semaphore(CONNECTIONS_MAX);

    private EgressDoor(UnixListener listener, Gate gate) {
        this.listener = listener;
        this.gate = gate;
    }

    /// @param socket in a directory that is ours alone
    public static EgressDoor open(Path socket, Gate gate, TaskScope scope) throws IOException {
        EgressDoor door = new EgressDoor(UnixListener.bind(socket, MODE), gate);
        scope.start(() -> door.accept(scope));
        return door;
    }

    public Path socket() {
        return listener.path();
    }

    @Override
    public void close() {
        listener.close();
    }

    private void accept(TaskScope scope) {
        try {
            while (true) {
                places.acquire();
                Optional<SocketChannel> channel = listener.accept();
                if (channel.isEmpty()) {
                    return;
                }
                scope.start(() -> serve(channel.get(), scope));
            }
        } catch (IOException e) {
            logger().atWarn().addKeyValue("reason", e.getMessage()).log("mcp.egress.door_failed");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void serve(SocketChannel inside, TaskScope scope) {
        try (inside) {
            ByteBuffer received = ByteBuffer.allocate(HEAD_BYTES_MAX);
            Optional<Destination> wanted = destination(inside, received);
            if (wanted.isEmpty()) {
                answer(inside, "400 Bad Request");
                return;
            }
            if (!gate.allows(wanted.get().host(), wanted.get().port())) {
                answer(inside, "403 Forbidden");
                return;
            }
            tunnel(inside, received, wanted.get(), scope);
        } catch (IOException e) {
            // One of the ends is gone: its own business.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            places.release();
        }
    }

    private static void tunnel(SocketChannel inside, ByteBuffer more, Destination to, TaskScope scope)
            throws IOException, InterruptedException {
        try (SocketChannel outside = connect(to)) {
            answer(inside, "200 Connection established");
            write(outside, more);
            var upward = scope.fork(() -> {
                pump(inside, outside);
                return true;
            });
            try {
                pump(outside, inside);
            } finally {
                // Whoever said the last word is not made to wait for the other's.
                inside.close();
                outside.close();
                upward.cancel(true);
            }
        } catch (IOException e) {
            if (inside.isOpen()) {
                answer(inside, "502 Bad Gateway");
            }
        }
    }

    private static SocketChannel connect(Destination to) throws IOException {
        SocketChannel channel = SocketChannel.open();
        try (Deadline _ = Deadline.of(channel, CONNECT_TIME_MAX)) {
            InetSocketAddress address = new InetSocketAddress(to.host(), to.port());
            if (address.isUnresolved()) {
                throw new IOException("no such host: " + to.host());
            }
            channel.connect(address);
            return channel;
        } catch (IOException e) {
            channel.close();
            throw e;
        }
    }

    private static void pump(SocketChannel from, SocketChannel to) throws IOException {
        ByteBuffer chunk = ByteBuffer.allocate(CHUNK_BYTES);
        while (from.read(chunk) >= 0) {
            chunk.flip();
            write(to, chunk);
            chunk.clear();
        }
        to.shutdownOutput();
    }

    private static void write(SocketChannel to, ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
            to.write(bytes);
        }
    }

    private static void answer(SocketChannel to, String status) throws IOException {
        write(to, ByteBuffer.wrap(("HTTP/1.1 " + status + "\r\n\r\n").getBytes(StandardCharsets.US_ASCII)));
    }

    /// Empty if it is anything but a CONNECT. Leaves in `received` what came after it.
    private static Optional<Destination> destination(SocketChannel from, ByteBuffer received) throws IOException {
        try (Deadline _ = Deadline.of(from, HEAD_TIME_MAX)) {
            while (received.hasRemaining() && from.read(received) >= 0) {
                String text = new String(received.array(), 0, received.position(), StandardCharsets.ISO_8859_1);
                int end = text.indexOf("\r\n\r\n");
                if (end >= 0) {
                    received.flip().position(end + 4);
                    return parse(text.substring(0, text.indexOf("\r\n")));
                }
            }
            return Optional.empty();
        }
    }

    private static Optional<Destination> parse(String line) {
        String[] words = line.split(" ", -1);
        int colon = words.length == 3 ? words[1].lastIndexOf(':') : -1;
        if (colon <= 0
                || !words[0].equals("CONNECT")
                || !words[1].substring(colon + 1).matches("[0-9]{1,5}")) {
            return Optional.empty();
        }
        String host = words[1].substring(0, colon).replaceFirst("^\\[(.*)]$", "$1");
        int port = Integer.parseInt(words[1].substring(colon + 1));
        return port < 1 || port > 65_535 ? Optional.empty() : Optional.of(new Destination(host, port));
    }

    private static Logger logger() {
        return LoggerFactory.getLogger(EgressDoor.class);
    }
}
