package dev.capsem.network.io;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@SuppressWarnings("FutureReturnValueIgnored")
@Timeout(180)
@Tag("sockets")
class GuestConnectionTest {
    /// Adoptions at a few moments each: the event loop is another thread, and whether it reads first is chance.
    private static final int ROUNDS = 2_000;

    private static final String FIRST = "POST / HTTP/1.1\r\n";
    private static final String REST = "host: a.example\r\n\r\n.";

    @Test
    void whatWasReadBeforeIsShownBeforeWhatComesNext() throws Exception {
        EventLoopGroup loops = new MultiThreadIoEventLoopGroup(2, NioIoHandler.newFactory());
        try (ServerSocketChannel listener =
                ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))) {
            for (int round = 0; round < ROUNDS; round++) {
                try (SocketChannel guest = SocketChannel.open(listener.getLocalAddress())) {
                    assertThat(shown(loops, listener, guest)).isEqualTo(FIRST + REST);
                }
            }
        } finally {
            loops.shutdownGracefully(0, 2, TimeUnit.SECONDS).syncUninterruptibly();
        }
    }

    private static String shown(EventLoopGroup loops, ServerSocketChannel listener, SocketChannel guest)
            throws Exception {
        CompletableFuture<String> shown = new CompletableFuture<>();
        GuestConnection connection = new GuestConnection(listener.accept());
        guest.write(ascii(FIRST));
        connection.start();
        guest.write(ascii(REST));
        connection.adopt(loops.next(), channel -> channel.pipeline().addLast(new UntilDot(shown)), () -> {});
        return shown.get(30, TimeUnit.SECONDS);
    }

    private static ByteBuffer ascii(String text) {
        return ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII));
    }

    private static final class UntilDot extends ChannelInboundHandlerAdapter {
        private final StringBuilder text = new StringBuilder();
        private final CompletableFuture<String> shown;

        UntilDot(CompletableFuture<String> shown) {
            this.shown = shown;
        }

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            ByteBuf bytes = (ByteBuf) message;
            text.append(bytes.toString(StandardCharsets.US_ASCII));
            bytes.release();
            if (text.length() == FIRST.length() + REST.length()) {
                shown.complete(text.toString());
                ctx.close();
            }
        }
    }
}
