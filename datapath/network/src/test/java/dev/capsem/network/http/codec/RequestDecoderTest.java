package dev.capsem.network.http.codec;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.LastHttpContent;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class RequestDecoderTest {
    private static final List<String> STREAMS = List.of(
            "GET /a?b=c HTTP/1.1\r\nHost: x\r\nAccept: */*\r\n\r\n",
            "\r\nPOST / HTTP/1.1\r\nHost: x\r\nContent-Length: 11\r\n\r\nhello world",
            "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5;a=b\r\nhello\r\n6\r\n world\r\n0\r\nX-T: 1\r\n\r\n",
            "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhelloX\r\n0\r\n\r\n",
            "GET / HTTP/1.1\nHost: x\n\n",
            "GET / HTTP/1.1\r\nHost: x\r\n folded\r\n\r\n",
            "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nContent-Length: 3\r\n\r\nabc");

    /// What the pieces come to, whatever their sizes.
    private static String decode(byte[] bytes, int... cuts) {
        EmbeddedChannel channel = new EmbeddedChannel(new RequestDecoder());
        int from = 0;
        for (int cut : cuts) {
            channel.writeInbound(Unpooled.copiedBuffer(bytes, from, cut - from));
            from = cut;
        }
        channel.writeInbound(Unpooled.copiedBuffer(bytes, from, bytes.length - from));
        StringBuilder story = new StringBuilder();
        for (Object message = channel.readInbound(); message != null; message = channel.readInbound()) {
            switch (message) {
                case HttpRequest request ->
                    story.append(request.method())
                            .append(' ')
                            .append(request.uri())
                            .append(request.headers().entries());
                case LastHttpContent last ->
                    story.append(last.content().toString(StandardCharsets.UTF_8))
                            .append("|end")
                            .append(last.trailingHeaders().entries());
                case HttpContent content -> story.append(content.content().toString(StandardCharsets.UTF_8));
                case BadRequest bad -> {
                    // How much of the body came before depends on the split; that it is refused does not.
                    channel.finishAndReleaseAll();
                    return bad.toString();
                }
                default -> story.append("unexpected ").append(message);
            }
        }
        channel.finishAndReleaseAll();
        return story.toString();
    }

    @Test
    void readsTheSameUnderAnySplit() {
        for (String stream : STREAMS) {
            byte[] bytes = stream.getBytes(StandardCharsets.US_ASCII);
            String whole = decode(bytes);
            for (int cut = 0; cut <= bytes.length; cut++) {
                assertThat(decode(bytes, cut)).as("%s cut at %d", stream, cut).isEqualTo(whole);
            }
            int[] single = new int[bytes.length];
            for (int i = 0; i < single.length; i++) {
                single[i] = i;
            }
            assertThat(decode(bytes, single)).as("byte by byte").isEqualTo(whole);
        }
    }

    @Test
    void neverThrowsOnMutatedRequests() {
        long seed = 42;
        SplittableRandom random = new SplittableRandom(seed);
        for (int round = 0; round < 3_000; round++) {
            byte[] bytes = STREAMS.get(random.nextInt(STREAMS.size())).getBytes(StandardCharsets.US_ASCII);
            for (int i = 0; i < 1 + random.nextInt(3); i++) {
                bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
            }

            assertThat(decode(bytes, random.nextInt(bytes.length)))
                    .as("seed %d, round %d", seed, round)
                    .doesNotContain("unexpected");
        }
    }

    @Test
    void holdsTheNextRequestBack() throws Exception {
        RequestDecoder decoder = new RequestDecoder();
        EmbeddedChannel channel = new EmbeddedChannel(decoder);
        byte[] two = "GET /1 HTTP/1.1\r\nHost: x\r\n\r\nGET /2 HTTP/1.1\r\nHost: x\r\n\r\n"
                .getBytes(StandardCharsets.US_ASCII);

        channel.writeInbound(Unpooled.copiedBuffer(two));
        assertThat(channel.<HttpRequest>readInbound().uri()).isEqualTo("/1");
        assertThat(channel.<Object>readInbound()).isInstanceOf(LastHttpContent.class);
        assertThat(channel.<Object>readInbound()).isNull();
        decoder.next(channel.pipeline().context(decoder));

        assertThat(channel.<HttpRequest>readInbound().uri()).isEqualTo("/2");
        channel.finishAndReleaseAll();
    }
}
