package dev.capsem.network.io;

import dev.capsem.network.start.ConnectionStart;
import dev.capsem.wire.Decoded;
import dev.capsem.wire.guest.Preamble;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.ServerChannel;
import io.netty.channel.local.LocalServerChannel;
import io.netty.channel.socket.nio.NioDomainSocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ByteChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/// An accepted connection of port 5002 whose first bytes are still to be read.
public final class GuestConnection implements AutoCloseable {
    /// As much as a first read brings: enough for any ClientHello.
    private static final int FIRST_BYTES = 16 * 1024;

    /// Netty's HTTP/2 takes a channel for a server's by its parent, and for a client's if it has none. This one is
    /// never opened.
    private static final ServerChannel UNIX_PARENT = new LocalServerChannel();

    private final SocketChannel socket;
    private final Runnable onOver;
    private final AtomicBoolean isOver = new AtomicBoolean();
    private final long openedNanos = System.nanoTime();
    private ByteBuffer received = ByteBuffer.allocate(FIRST_BYTES);
    private volatile boolean hasSpoken;
    private Preamble claimed = new Preamble(Optional.empty(), Optional.empty());

    /// Requires: the channel is in blocking mode; it is this object's from now on.
    public GuestConnection(SocketChannel socket) {
        this(socket, () -> {});
    }

    /// @param onOver told once, when the connection is closed, whoever closed it
    public GuestConnection(SocketChannel socket, Runnable onOver) {
        this.socket = socket;
        this.onOver = onOver;
    }

    /// Waits until it is clear what the connection is.
    ///
    /// @return never [Decoded.NeedMore]
    public Decoded<ConnectionStart> start() throws IOException {
        boolean ended = false;
        received.flip();
        while (true) {
            Decoded<ConnectionStart> start = ConnectionStart.decode(received, ended);
            if (start instanceof Decoded.Message<ConnectionStart>(ConnectionStart _, int consumed)) {
                received.position(received.position() + consumed);
            }
            if (!(start instanceof Decoded.NeedMore<ConnectionStart>)) {
                return start;
            }
            if (Preamble.decode(received, false) instanceof Decoded.Message<Preamble>(Preamble known, int consumed)) {
                claimed = known;
                hasSpoken = consumed < received.remaining();
            }
            received.compact();
            ended = socket.read(received) < 0;
            received.flip();
        }
    }

    /// Whether the guest itself said anything yet; metadata is the agent's. For any thread.
    public boolean hasSpoken() {
        return hasSpoken;
    }

    /// Whose connection it is, as far as that was said.
    public Preamble claimed() {
        return claimed;
    }

    /// Says a last word and waits until the guest has left, so that it gets to read it. For a virtual thread; whoever
    /// calls it bounds its time by closing.
    ///
    /// @param words a byte per character
    public void part(String words) throws IOException {
        ByteBuffer bytes = ByteBuffer.wrap(words.getBytes(StandardCharsets.ISO_8859_1));
        while (bytes.hasRemaining()) {
            socket.write(bytes);
        }
        socket.shutdownOutput();
        ByteBuffer rest = ByteBuffer.allocate(FIRST_BYTES);
        while (socket.read(rest) >= 0) {
            rest.clear();
        }
    }

    /// When it was accepted, on the clock of [System#nanoTime()].
    public long openedNanos() {
        return openedNanos;
    }

    /// The bytes that were read behind the metadata.
    public ByteBuffer received() {
        return received;
    }

    public ByteChannel channel() {
        return socket;
    }

    /// Gives the connection to the event loop. From here on it is Netty's.
    ///
    /// @param pipeline called on the loop, before the first byte is shown
    public void adopt(EventLoop loop, Consumer<Channel> pipeline, Runnable onClosed) throws IOException {
        boolean isUnix = socket.getLocalAddress() instanceof UnixDomainSocketAddress;
        socket.configureBlocking(false);
        Channel channel = isUnix
                ? new NioDomainSocketChannel(UNIX_PARENT, socket)
                : new NioSocketChannel(TcpParent.CHANNEL, socket);
        channel.config().setOption(ChannelOption.ALLOW_HALF_CLOSURE, true);
        channel.closeFuture().addListener(_ -> {
            onClosed.run();
            over();
        });
        channel.pipeline().addLast(new ChannelInitializer<Channel>() {
            @Override
            protected void initChannel(Channel adopted) {
                pipeline.accept(adopted);
            }
        });
        // On the loop itself, so that what was read is shown before the loop reads on.
        loop.execute(() -> loop.register(channel).addListener(done -> {
            if (done.isSuccess()) {
                channel.pipeline().fireChannelRead(Unpooled.wrappedBuffer(received));
                channel.pipeline().fireChannelReadComplete();
            } else {
                close();
                onClosed.run();
            }
        }));
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException alreadyGone) {
            // Nothing is lost: it was to be closed.
        }
        over();
    }

    private void over() {
        if (isOver.compareAndSet(false, true)) {
            onOver.run();
        }
    }

    /// As [#UNIX_PARENT], for connections over TCP; made, and its descriptor taken, only if there are any.
    private static final class TcpParent {
        private static final ServerChannel CHANNEL = new NioServerSocketChannel();
    }
}
