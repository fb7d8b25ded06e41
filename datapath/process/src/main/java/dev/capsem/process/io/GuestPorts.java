package dev.capsem.process.io;

import dev.capsem.network.io.GuestConnection;
import dev.capsem.process.door.Door;
import dev.capsem.process.guest.GuestConnections;
import dev.capsem.wire.guest.GuestMessage;
import dev.capsem.wire.guest.GuestPort;
import dev.capsem.wire.io.Deadline;
import dev.capsem.wire.io.FrameChannel;
import dev.capsem.wire.io.TaskScope;
import dev.capsem.wire.io.UnixListener;
import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.function.Consumer;

/// The listening sockets `vsock/<port>` of one sandbox.
public final class GuestPorts implements AutoCloseable {
    /// Connections at once of a port whose connections are given away; more wait in the kernel's queue.
    private static final int GIVEN_CONNECTIONS_MAX = 4_096;
    /// Connections at once through one door; more wait in the kernel's queue.
    private static final int DOOR_CONNECTIONS_MAX = 256;
    /// Longer than any question takes to be answered or given up; a guest that dawdles does not get more.
    private static final Duration DOOR_TIME_MAX = Duration.ofSeconds(30);
    /// The guest's user may differ from ours; strangers are kept out by the directory above, which is ours alone.
    private static final String SOCKET_MODE = "rw-rw-rw-";

    private static final String DIRECTORY_MODE = "rwxr-xr-x";

    private final Map<GuestPort, UnixListener> listeners = new EnumMap<>(GuestPort.class);
    private final Path directory;

    private GuestPorts(Path directory) {
        this.directory = directory;
    }

    /// Binds all ports below `runtimeDir`, which must be ours alone.
    public static GuestPorts bind(Path runtimeDir) throws IOException {
        Path directory = runtimeDir.resolve("vsock");
        Files.createDirectories(directory);
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString(DIRECTORY_MODE));
        GuestPorts ports = new GuestPorts(directory);
        try {
            for (GuestPort port : GuestPort.values()) {
                Path socket = directory.resolve(Integer.toString(port.number()));
                ports.listeners.put(port, UnixListener.bind(socket, SOCKET_MODE));
            }
            return ports;
        } catch (IOException e) {
            ports.close();
            throw e;
        }
    }

    /// Waits for the agent on its three ports, in its order. Each listener goes with its first connection, so that
    /// guest code never finds it.
    public GuestConnections acceptAgent() throws IOException {
        FrameChannel<GuestMessage> control = acceptOne(GuestPort.CONTROL);
        FrameChannel<GuestMessage> terminal = acceptOne(GuestPort.TERMINAL);
        FrameChannel<GuestMessage> exec = acceptOne(GuestPort.EXEC);
        return new GuestConnections(control, terminal, exec);
    }

    /// Lets connections of `port` through the door until the listener is closed.
    public void serve(GuestPort port, Door door, TaskScope scope) {
        Semaphore places = new Semaphore(DOOR_CONNECTIONS_MAX);
        scope.start(() -> accept(listener(port), places, scope, channel -> serve(channel, door, places::release)));
    }

    /// Gives connections of `port` away until the listener is closed: whoever takes one closes it.
    public void give(GuestPort port, Consumer<GuestConnection> taker, TaskScope scope) {
        Semaphore places = new Semaphore(GIVEN_CONNECTIONS_MAX);
        scope.start(() -> accept(
                listener(port), places, scope, channel -> taker.accept(new GuestConnection(channel, places::release))));
    }

    @Override
    public void close() {
        listeners.values().forEach(UnixListener::close);
        try {
            Files.deleteIfExists(directory);
        } catch (IOException ignored) {
            // Not empty: somebody else's files are not ours to remove.
        }
    }

    private FrameChannel<GuestMessage> acceptOne(GuestPort port) throws IOException {
        try (UnixListener listener = listener(port)) {
            Optional<SocketChannel> channel = listener.accept();
            if (channel.isEmpty()) {
                throw new IOException("port " + port.number() + " was closed before the agent came");
            }
            return GuestConnections.greeted(channel.get(), port);
        }
    }

    private static void accept(
            UnixListener listener, Semaphore places, TaskScope scope, Consumer<SocketChannel> taker) {
        try {
            while (true) {
                places.acquire();
                Optional<SocketChannel> channel = listener.accept();
                if (channel.isEmpty()) {
                    return;
                }
                scope.start(() -> taker.accept(channel.get()));
            }
        } catch (IOException e) {
            // Without its listener the port stays shut, which is the safe side.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void serve(SocketChannel channel, Door door, Runnable leave) {
        try (channel;
                Deadline _ = Deadline.of(channel, DOOR_TIME_MAX)) {
            door.serve(channel);
        } catch (IOException e) {
            // The guest's connection ended early: its own business.
        } finally {
            leave.run();
        }
    }

    private UnixListener listener(GuestPort port) {
        UnixListener listener = listeners.get(port);
        if (listener == null) {
            throw new IllegalStateException("port " + port.number() + " is not bound");
        }
        return listener;
    }
}
