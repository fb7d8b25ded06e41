package dev.capsem.wire.io;

import dev.capsem.wire.Decoded;
import dev.capsem.wire.ipc.IpcProtocol;
import dev.capsem.wire.ipc.ProcessMessage;
import dev.capsem.wire.ipc.ServiceMessage;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ByteChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Function;

/// One IPC connection after its Hello: `I` comes in, `O` goes out. Blocking; meant for virtual threads. One thread may
/// receive while others send; closing it from any thread ends both.
public final class IpcConnection<I, O> implements AutoCloseable {
    /// A process that is alive answers in milliseconds, but not on a host with forty times the work it has cores
    /// for: who gives up earlier takes a busy sandbox for a lost one.
    public static final Duration HANDSHAKE_TIMEOUT = Duration.ofSeconds(30);

    private final FrameChannel<I> frames;
    private final Function<O, ByteBuffer> encoder;

    /// Known to the service's side only; 0 on the other.
    private volatile long peerPid;

    private IpcConnection(
            ByteChannel channel, Function<ByteBuffer, Decoded<I>> decoder, Function<O, ByteBuffer> encoder) {
        this.frames = new FrameChannel<>(channel, decoder, Integer.BYTES + IpcProtocol.FRAME_BYTES_MAX);
        this.encoder = encoder;
    }

    /// The service's side: connects, says Hello and waits for the answer. Throws [IpcException].
    public static IpcConnection<ProcessMessage, ServiceMessage> connect(Path socket, String peer) {
        return connect(socket, peer, HANDSHAKE_TIMEOUT);
    }

    /// @param patience how long the other side may take for its Hello
    public static IpcConnection<ProcessMessage, ServiceMessage> connect(Path socket, String peer, Duration patience) {
        SocketChannel channel;
        try {
            channel = SocketChannel.open(StandardProtocolFamily.UNIX);
        } catch (IOException e) {
            throw new IpcException(IpcException.Code.UNREACHABLE, "no Unix socket to be had", e);
        }
        try {
            channel.connect(UnixDomainSocketAddress.of(socket));
            return greet(channel, peer, patience);
        } catch (IOException e) {
            closeQuietly(channel);
            throw new IpcException(IpcException.Code.UNREACHABLE, "no process listens on " + socket.getFileName(), e);
        } catch (IpcException e) {
            closeQuietly(channel);
            throw e;
        }
    }

    /// The service's side of the handshake, on a channel that is already connected.
    static IpcConnection<ProcessMessage, ServiceMessage> greet(ByteChannel channel, String peer, Duration patience) {
        IpcConnection<ProcessMessage, ServiceMessage> connection =
                new IpcConnection<>(channel, IpcProtocol::decodeProcess, IpcProtocol::encode);
        try (Deadline _ = Deadline.of(channel, patience)) {
            connection.send(new ServiceMessage.Hello(IpcProtocol.VERSION, IpcProtocol.schemaHash(), peer));
            if (connection.receive().orElse(null) instanceof ProcessMessage.Hello hello
                    && agree(hello.version(), hello.schemaHash())) {
                connection.peerPid = hello.pid();
                return connection;
            }
            throw handshakeFailed();
        }
    }

    /// The process's side, on an accepted channel: waits for Hello and answers it. Throws [IpcException].
    public static IpcConnection<ServiceMessage, ProcessMessage> accept(ByteChannel channel, String peer, long pid) {
        IpcConnection<ServiceMessage, ProcessMessage> connection =
                new IpcConnection<>(channel, IpcProtocol::decodeService, IpcProtocol::encode);
        try (Deadline _ = Deadline.of(channel, HANDSHAKE_TIMEOUT)) {
            if (!(connection.receive().orElse(null) instanceof ServiceMessage.Hello hello)) {
                throw handshakeFailed();
            }
            connection.send(new ProcessMessage.Hello(IpcProtocol.VERSION, IpcProtocol.schemaHash(), peer, pid));
            if (agree(hello.version(), hello.schemaHash())) {
                return connection;
            }
            throw handshakeFailed();
        } catch (IpcException e) {
            closeQuietly(channel);
            throw e;
        }
    }

    /// The pid that the process at the other end gave in its Hello.
    public long peerPid() {
        return peerPid;
    }

    /// Empty when the other side closed the connection between two messages. Throws [IpcException].
    public Optional<I> receive() {
        try {
            return frames.receive();
        } catch (MalformedFrameException e) {
            throw new IpcException(IpcException.Code.MALFORMED, String.valueOf(e.getMessage()), e);
        } catch (IOException e) {
            throw new IpcException(IpcException.Code.LOST, "the IPC connection was lost", e);
        }
    }

    /// As [#receive()], where only one family of messages belongs.
    public <F extends I> Optional<F> receive(Class<F> family) {
        return receive().map(message -> expected(family, message));
    }

    /// Throws [IpcException] if the message is of another family.
    public static <F> F expected(Class<F> family, Object message) {
        if (!family.isInstance(message)) {
            throw new IpcException(
                    IpcException.Code.UNEXPECTED,
                    "a " + message.getClass().getSimpleName() + " came where a " + family.getSimpleName() + " belongs");
        }
        return family.cast(message);
    }

    /// Blocks while the other side does not read: that is the back-pressure. Throws [IpcException].
    public void send(O message) {
        try {
            frames.send(encoder.apply(message));
        } catch (IOException e) {
            throw new IpcException(IpcException.Code.LOST, "the IPC connection was lost", e);
        }
    }

    /// Closes the connection when the time is up, unless the answer is closed before: a bound for a
    /// whole operation.
    public Deadline deadline(Duration time) {
        return Deadline.of(frames.channel(), time);
    }

    @Override
    public void close() {
        closeQuietly(frames.channel());
    }

    private static boolean agree(int version, String schemaHash) {
        return version == IpcProtocol.VERSION && schemaHash.equals(IpcProtocol.schemaHash());
    }

    private static IpcException handshakeFailed() {
        return new IpcException(
                IpcException.Code.HANDSHAKE, "the other side sent no Hello, or one of another version of Capsem");
    }

    /// Nothing more is expected of the connection: a failure to close it tells us nothing.
    private static void closeQuietly(ByteChannel channel) {
        try {
            channel.close();
        } catch (IOException ignored) {
            // The descriptor is gone either way.
        }
    }
}
