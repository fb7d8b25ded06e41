package dev.capsem.network;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.events.row.NetRow;
import dev.capsem.events.row.Outcome;
import dev.capsem.events.security.SecurityEvent;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.websocketx.TextWebSocketFrame;
import io.netty.handler.codec.http.websocketx.WebSocketFrameAggregator;
import io.netty.handler.codec.http.websocketx.WebSocketServerProtocolHandler;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@SuppressWarnings("FutureReturnValueIgnored")
@Timeout(180)
@Tag("sockets")
class WebSocketTest {
    /// Says what it hears, and remembers it.
    @Sharable
    static final class Echo extends ChannelInitializer<Channel> {
        final List<String> heard = new CopyOnWriteArrayList<>();
        final List<HttpHeaders> upgrades = new CopyOnWriteArrayList<>();

        @Override
        protected void initChannel(Channel channel) {
            channel.pipeline()
                    .addLast(
                            new HttpServerCodec(),
                            new HttpObjectAggregator(65_536),
                            new WebSocketServerProtocolHandler("/ws"),
                            new WebSocketFrameAggregator(65_536),
                            new SimpleChannelInboundHandler<TextWebSocketFrame>() {
                                @Override
                                protected void channelRead0(ChannelHandlerContext ctx, TextWebSocketFrame frame) {
                                    heard.add(frame.text());
                                    ctx.writeAndFlush(new TextWebSocketFrame("echo " + frame.text()));
                                }

                                @Override
                                public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
                                    if (event instanceof WebSocketServerProtocolHandler.HandshakeComplete done) {
                                        upgrades.add(done.requestHeaders());
                                    }
                                }
                            });
        }
    }

    static final class Heard implements WebSocket.Listener {
        final BlockingQueue<String> texts = new LinkedBlockingQueue<>();
        final CompletableFuture<String> closed = new CompletableFuture<>();

        @Override
        public @Nullable CompletionStage<?> onText(WebSocket socket, CharSequence text, boolean last) {
            texts.add(text.toString());
            socket.request(1);
            return null;
        }

        @Override
        public @Nullable CompletionStage<?> onClose(WebSocket socket, int code, String reason) {
            closed.complete(code + " " + reason);
            return null;
        }
    }

    @Test
    void framesPassAndAreCounted() throws Exception {
        try (Origin origin = Origin.raw(new Echo());
                Door door = new Door.Setup().open();
                HttpClient client = ProxyFormsTest.proxied(door, HttpClient.Version.HTTP_1_1)) {
            Heard heard = new Heard();
            WebSocket socket = client.newWebSocketBuilder()
                    .buildAsync(URI.create("ws://" + Door.HOST + ":" + origin.port() + "/ws"), heard)
                    .join();
            for (int i = 0; i < 3; i++) {
                socket.sendText("message " + i + " ".repeat(200 * i), true).join();
                assertThat(heard.texts.poll(30, TimeUnit.SECONDS)).startsWith("echo message " + i);
            }
            socket.sendClose(WebSocket.NORMAL_CLOSURE, "").join();

            NetRow row = door.rows(1).get(0);
            assertThat(row.connectionType()).isEqualTo("websocket");
            assertThat(row.statusCode()).hasValue(101);
            assertThat(row.decision()).isEqualTo(Outcome.ALLOWED);
            assertThat(row.previews().responseBody()).contains("frames sent: 4, received: 4");
            assertThat(door.asked.get(0))
                    .isInstanceOfSatisfying(
                            SecurityEvent.HttpRequest.class,
                            event -> assertThat(event.scheme()).isEqualTo("ws"));
            assertThat(door.asked)
                    .as("no rule reads messages, so nobody is asked about one")
                    .filteredOn(SecurityEvent.HttpResponse.class::isInstance)
                    .hasSize(1);
        }
    }

    @Test
    void theUpgradeIsUnderPolicy() throws Exception {
        Door.Setup setup = new Door.Setup();
        setup.rules = event -> event instanceof SecurityEvent.HttpRequest request
                        && request.scheme().equals("ws")
                ? HttpsExchangeTest.block("no_sockets", "no WebSockets")
                : Door.allow();
        try (Origin origin = Origin.raw(new Echo());
                Door door = setup.open();
                HttpClient client = ProxyFormsTest.proxied(door, HttpClient.Version.HTTP_1_1)) {
            assertThat(client.newWebSocketBuilder()
                            .buildAsync(URI.create("ws://" + Door.HOST + ":" + origin.port() + "/ws"), new Heard()))
                    .failsWithin(30, TimeUnit.SECONDS);
            assertThat(door.rows(1).get(0).decision()).isEqualTo(Outcome.DENIED);
        }
    }
}
