package dev.capsem.network;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.capsem.events.row.NetRow;
import dev.capsem.events.row.Outcome;
import dev.capsem.network.http.limit.Timeouts;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.io.EOFException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@SuppressWarnings("FutureReturnValueIgnored")
@Timeout(180)
@Tag("sockets")
class StreamingTest {
    /// Speaks bytes: gathers what comes, and leaves the answer to the test.
    @Sharable
    private static final class Script extends ChannelInboundHandlerAdapter {
        private final AtomicReference<ChannelHandlerContext> context = new AtomicReference<>();
        private final CountDownLatch asked = new CountDownLatch(1);
        private final CountDownLatch closed = new CountDownLatch(1);
        private final AtomicReference<String> received = new AtomicReference<>("");

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            ByteBuf bytes = (ByteBuf) message;
            received.set(received() + bytes.toString(StandardCharsets.ISO_8859_1));
            bytes.release();
            context.set(ctx);
            if (received().contains("\r\n\r\n")) {
                asked.countDown();
            }
        }

        @Override
        public void channelInactive(ChannelHandlerContext ctx) {
            closed.countDown();
        }

        String received() {
            return Objects.requireNonNull(received.get());
        }

        void say(String text) throws InterruptedException {
            assertThat(asked.await(30, TimeUnit.SECONDS)).isTrue();
            Objects.requireNonNull(context.get())
                    .writeAndFlush(Unpooled.copiedBuffer(text, StandardCharsets.ISO_8859_1));
        }

        /// Waits for it: what is said before the request came would be nobody's answer.
        void heard(String end) throws InterruptedException {
            Door.await(() -> received().endsWith(end));
        }

        void hangUp() {
            Objects.requireNonNull(context.get()).close();
        }
    }

    private static String get(String path) {
        return "GET " + path + " HTTP/1.1\r\nHost: " + Door.HOST + "\r\n\r\n";
    }

    private static String until(Http1Client client, String end) throws IOException {
        StringBuilder text = new StringBuilder();
        while (text.indexOf(end) < 0) {
            int b = client.stream().read();
            if (b < 0) {
                throw new EOFException("ended after " + text);
            }
            text.append((char) b);
        }
        return text.toString();
    }

    @Test
    void eachEventPassesAsItComes() throws Exception {
        Script script = new Script();
        try (Origin origin = Origin.raw(script);
                Door door = new Door.Setup().open();
                Http1Client client = new Http1Client(door.connect(origin.port()))) {
            client.send(get("/events"));
            script.say("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n");
            until(client, "\r\n\r\n");
            script.say("9\r\ndata: 1\n\n\r\n");
            assertThat(until(client, "data: 1\n\n")).contains("data: 1");
            script.say("9\r\ndata: 2\n\n\r\n");
            assertThat(until(client, "data: 2\n\n")).contains("data: 2");
            assertThat(door.recorded).as("nothing is recorded before the end").isEmpty();
            script.say("0\r\nX-Sum: 3\r\n\r\n");

            assertThat(until(client, "X-Sum: 3\r\n\r\n")).contains("X-Sum: 3");
            assertThat(door.rows(1).get(0).bytesReceived()).isEqualTo(18);
        }
    }

    @Test
    void interimResponsesAndExpectationsPass() throws Exception {
        Script script = new Script();
        try (Origin origin = Origin.raw(script);
                Door door = new Door.Setup().open();
                Http1Client client = new Http1Client(door.connect(origin.port()))) {
            client.send(
                    "POST / HTTP/1.1\r\nHost: " + Door.HOST + "\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n");
            script.say("HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n");
            assertThat(client.read(false).status()).isEqualTo(103);
            assertThat(client.read(false).status()).isEqualTo(100);
            client.send("abc");
            script.heard("abc");
            script.say("HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n");

            assertThat(client.read(false).status()).isEqualTo(201);
            assertThat(script.received()).endsWith("\r\n\r\nabc").contains("Expect: 100-continue");
            assertThat(door.rows(1).get(0).statusCode()).hasValue(201);
        }
    }

    @Test
    void responsesWithoutABodyKeepTheirHeaders() throws Exception {
        Script script = new Script();
        try (Origin origin = Origin.raw(script);
                Door door = new Door.Setup().open();
                Http1Client client = new Http1Client(door.connect(origin.port()))) {
            client.send("HEAD / HTTP/1.1\r\nHost: " + Door.HOST + "\r\n\r\n");
            script.say("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n");
            assertThat(client.read(true).headers()).containsEntry("content-length", "5");
            client.send(get("/second"));
            script.heard(get("/second"));
            script.say("HTTP/1.1 304 Not Modified\r\nETag: \"a\"\r\n\r\n");
            assertThat(client.read(false).headers()).containsEntry("etag", "\"a\"");
            client.send(get("/third"));
            script.heard(get("/third"));
            script.say("HTTP/1.1 204 No Content\r\n\r\n");
            assertThat(client.read(false).status()).isEqualTo(204);
        }
    }

    @Test
    void aBodyThatEndsWithTheConnectionIsWhole() throws Exception {
        Script script = new Script();
        try (Origin origin = Origin.raw(script);
                Door door = new Door.Setup().open();
                Http1Client client = new Http1Client(door.connect(origin.port()))) {
            client.send(get("/"));
            script.say("HTTP/1.0 200 OK\r\n\r\nall of it");
            Thread.sleep(100);
            script.hangUp();

            assertThat(client.read(false).text()).isEqualTo("all of it");
            assertThat(door.rows(1).get(0).decision()).isEqualTo(Outcome.ALLOWED);
        }
    }

    @Test
    void aBodyCutShortIsCutShortForTheGuestToo() throws Exception {
        Script script = new Script();
        try (Origin origin = Origin.raw(script);
                Door door = new Door.Setup().open();
                Http1Client client = new Http1Client(door.connect(origin.port()))) {
            client.send(get("/"));
            script.say("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nonly this");
            Thread.sleep(100);
            script.hangUp();

            assertThatThrownBy(() -> client.read(false)).isInstanceOf(IOException.class);
            assertThat(door.rows(1).get(0).decision()).isEqualTo(Outcome.ERROR);
        }
    }

    @Test
    void aGuestThatLeavesTakesItsUpstreamAlong() throws Exception {
        Script script = new Script();
        try (Origin origin = Origin.raw(script);
                Door door = new Door.Setup().open()) {
            try (Http1Client client = new Http1Client(door.connect(origin.port()))) {
                client.send(get("/"));
                script.say("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n");
                until(client, "abc");
            }
            for (int i = 0; i < 100 && script.closed.getCount() > 0; i++) {
                script.say("3\r\nabc\r\n");
                Thread.sleep(20);
            }

            assertThat(script.closed.await(30, TimeUnit.SECONDS)).isTrue();
            assertThat(door.rows(1).get(0).decision()).isEqualTo(Outcome.ERROR);
        }
    }

    @Test
    void anUpstreamThatNeverAnswersIsGivenUp() throws Exception {
        Script script = new Script();
        Door.Setup setup = new Door.Setup();
        Timeouts usual = Door.PATIENT;
        setup.settings = setup.settings.withTimeouts(new Timeouts(
                usual.connect(),
                usual.guestHandshake(),
                usual.firstByte(),
                usual.requestHead(),
                usual.guestIdle(),
                Duration.ofMillis(300),
                usual.bodyIdle(),
                usual.heldStream(),
                usual.upstreamIdle()));
        try (Origin origin = Origin.raw(script);
                Door door = setup.open();
                Http1Client client = new Http1Client(door.connect(origin.port()))) {
            Http1Client.Response response = client.exchange(get("/slow"));

            assertThat(response.status()).isEqualTo(504);
            assertThat(response.text()).contains("did not answer in time");
            assertThat(door.rows(1).get(0).decision()).isEqualTo(Outcome.ERROR);
        }
    }

    @Test
    void largeBodiesPassByteForByteNoFasterThanTheyAreRead() throws Exception {
        byte[] block = new byte[64 * 1024];
        new Random(5).nextBytes(block);
        int blocks = 512;
        AtomicLong unread = new AtomicLong();
        Origin plain = Origin.raw(new Flood(block, blocks, unread));
        try (plain;
                Door door = new Door.Setup().open();
                Http1Client client = new Http1Client(door.connect(plain.port()))) {
            client.send(get("/flood"));
            Thread.sleep(500);
            long sentAhead = unread.get();
            Http1Client.Response response = client.read(false);

            MessageDigest expected = MessageDigest.getInstance("SHA-256");
            for (int i = 0; i < blocks; i++) {
                expected.update(block);
            }
            assertThat(MessageDigest.getInstance("SHA-256").digest(response.body()))
                    .isEqualTo(expected.digest());
            assertThat(sentAhead)
                    .as("bytes taken from an upstream whose guest does not read")
                    .isLessThan(24L << 20);
            NetRow row = door.rows(1).get(0);
            assertThat(row.bytesReceived()).isEqualTo((long) blocks * block.length);
            assertThat(row.previews().responseBody().orElseThrow().length()).isLessThanOrEqualTo(4096);
        }
    }

    @Sharable
    private static final class Flood extends ChannelInboundHandlerAdapter {
        private final byte[] block;
        private final int blocks;
        private final AtomicLong sent;
        private int left;

        Flood(byte[] block, int blocks, AtomicLong sent) {
            this.block = block;
            this.blocks = blocks;
            this.sent = sent;
        }

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            ((ByteBuf) message).release();
            left = blocks;
            sent.set(0);
            ctx.write(Unpooled.copiedBuffer(
                    "HTTP/1.1 200 OK\r\nContent-Length: " + (long) blocks * block.length + "\r\n\r\n",
                    StandardCharsets.US_ASCII));
            pump(ctx);
        }

        private void pump(ChannelHandlerContext ctx) {
            while (left > 0 && ctx.channel().isWritable()) {
                left--;
                ctx.writeAndFlush(Unpooled.wrappedBuffer(block)).addListener(_ -> sent.addAndGet(block.length));
            }
        }

        @Override
        public void channelWritabilityChanged(ChannelHandlerContext ctx) {
            pump(ctx);
        }
    }
}
