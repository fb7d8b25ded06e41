package dev.capsem.network.http.websocket;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.websocketx.BinaryWebSocketFrame;
import io.netty.handler.codec.http.websocketx.ContinuationWebSocketFrame;
import io.netty.handler.codec.http.websocketx.PingWebSocketFrame;
import io.netty.handler.codec.http.websocketx.WebSocket13FrameDecoder;
import io.netty.handler.codec.http.websocketx.WebSocket13FrameEncoder;
import io.netty.handler.codec.http.websocketx.WebSocketDecoderConfig;
import io.netty.handler.codec.http.websocketx.WebSocketFrame;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class WebSocketReaderTest {
    private static final int HELD_MAX = 1_000;
    private static final int[] SIZES = {0, 1, 5, 125, 126, 400, 999, 1_000, 1_001, 65_536};

    /// Netty's own idea of messages, as text: the judge of ours.
    private static List<String> understood(ByteBuf bytes, boolean isMasked) {
        EmbeddedChannel netty = new EmbeddedChannel(new WebSocket13FrameDecoder(WebSocketDecoderConfig.newBuilder()
                .expectMaskedFrames(isMasked)
                .maxFramePayloadLength(1_000_000)
                .withUTF8Validator(false)
                .build()));
        netty.writeInbound(bytes);
        List<String> messages = new ArrayList<>();
        StringBuilder message = new StringBuilder();
        for (WebSocketFrame frame = netty.readInbound(); frame != null; frame = netty.readInbound()) {
            String payload = ByteBufUtil.hexDump(frame.content());
            if (frame instanceof PingWebSocketFrame) {
                messages.add("ping " + payload);
            } else {
                message.append(payload);
                if (frame.isFinalFragment()) {
                    messages.add("data " + message);
                    message.setLength(0);
                }
            }
            frame.release();
        }
        netty.finishAndReleaseAll();
        return messages;
    }

    /// What a peer would get if everything is let through, the bytes coming in pieces of at most that size.
    private static ByteBuf passed(byte[] bytes, boolean isMasked, int heldMax, SplittableRandom random, int pieceMax) {
        WebSocketReader reader = new WebSocketReader(isMasked, heldMax);
        ByteBuf in = Unpooled.buffer();
        ByteBuf out = Unpooled.buffer();
        int leftMax = 0;
        for (int from = 0; from < bytes.length; ) {
            int piece = Math.min(bytes.length - from, 1 + random.nextInt(pieceMax));
            in.discardReadBytes().writeBytes(bytes, from, piece);
            from += piece;
            boolean wantsMore = false;
            while (!wantsMore) {
                switch (reader.read(in)) {
                    case WebSocketReader.Read.NeedMore _ -> wantsMore = true;
                    case WebSocketReader.Read.Whole(WebSocketMessage message) ->
                        out.writeBytes(message.frame(isMasked));
                    case WebSocketReader.Read.Piece(ByteBuf copy, int _, long _) -> {
                        out.writeBytes(copy);
                        copy.release();
                    }
                    case WebSocketReader.Read.Wants _ -> reader.mayHold();
                    case WebSocketReader.Read.TooLarge _ -> reader.passRest().ifPresent(out::writeBytes);
                    case WebSocketReader.Read.Malformed(String reason) -> throw new AssertionError(reason);
                }
            }
            leftMax = Math.max(leftMax, in.readableBytes());
        }
        assertThat(leftMax).as("kept outside the reader").isLessThan(WebSocketReader.HEAD_BYTES_MAX);
        assertThat(reader.isMidPiece()).isFalse();
        return out;
    }

    private static byte[] generated(SplittableRandom random, boolean isMasked, boolean isSmall) {
        EmbeddedChannel netty = new EmbeddedChannel(new WebSocket13FrameEncoder(isMasked));
        for (int message = 0; message < 6; message++) {
            int fragments = 1 + random.nextInt(3);
            for (int i = 0; i < fragments; i++) {
                if (random.nextInt(3) == 0) {
                    netty.writeOutbound(new PingWebSocketFrame(payload(random, random.nextInt(126))));
                }
                ByteBuf payload = payload(random, SIZES[random.nextInt(isSmall ? SIZES.length - 1 : SIZES.length)]);
                boolean isLast = i == fragments - 1;
                netty.writeOutbound(
                        i == 0
                                ? new BinaryWebSocketFrame(isLast, 0, payload)
                                : new ContinuationWebSocketFrame(isLast, 0, payload));
            }
        }
        ByteBuf all = Unpooled.buffer();
        for (ByteBuf part = netty.readOutbound(); part != null; part = netty.readOutbound()) {
            all.writeBytes(part);
            part.release();
        }
        netty.finishAndReleaseAll();
        return ByteBufUtil.getBytes(all);
    }

    private static ByteBuf payload(SplittableRandom random, int size) {
        byte[] bytes = new byte[size];
        random.nextBytes(bytes);
        return Unpooled.wrappedBuffer(bytes);
    }

    @Test
    void everyMessageGoesOnAsItWasUnderAnySplit() {
        long seed = 20_261_115;
        SplittableRandom random = new SplittableRandom(seed);
        int[] pieces = {1, 7, 1_000, 100_000};
        for (int round = 0; round < 20; round++) {
            boolean isMasked = round % 2 == 0;
            int piece = pieces[random.nextInt(pieces.length)];
            byte[] bytes = generated(random, isMasked, piece < 10);
            List<String> expected = understood(Unpooled.copiedBuffer(bytes), isMasked);

            List<String> held = understood(passed(bytes, isMasked, HELD_MAX, random, piece), isMasked);
            List<String> unheld = understood(passed(bytes, isMasked, -1, random, piece), isMasked);

            assertThat(held).as("seed %d, round %d", seed, round).isEqualTo(expected);
            assertThat(unheld)
                    .as("seed %d, round %d, nothing held", seed, round)
                    .isEqualTo(expected);
        }
    }

    @Test
    void saysWhatIsMalformed() {
        assertThat(read("c180 00000000")).isInstanceOf(WebSocketReader.Read.Malformed.class);
        assertThat(read("8380 00000000")).as("an unknown kind").isInstanceOf(WebSocketReader.Read.Malformed.class);
        assertThat(read("8100")).as("no mask").isInstanceOf(WebSocketReader.Read.Malformed.class);
        assertThat(read("0980 00000000")).as("a fragmented ping").isInstanceOf(WebSocketReader.Read.Malformed.class);
        assertThat(read("89fe 007e 00000000")).as("a long ping").isInstanceOf(WebSocketReader.Read.Malformed.class);
        assertThat(read("8080 00000000"))
                .as("nothing to go on with")
                .isInstanceOf(WebSocketReader.Read.Malformed.class);
        assertThat(read("0180 00000000 8180 00000000"))
                .as("a message within a message")
                .isInstanceOf(WebSocketReader.Read.Malformed.class);
        assertThat(read("82ff ffffffffffffffff 00000000"))
                .as("a negative length")
                .isInstanceOf(WebSocketReader.Read.Malformed.class);
        assertThat(read("82ff 7fffffffffffffff 00000000")).isInstanceOf(WebSocketReader.Read.TooLarge.class);
    }

    @Test
    void manyEmptyFragmentsCostNothing() {
        assertThat(read("0180 00000000" + "0080 00000000".repeat(50_000)))
                .isInstanceOf(WebSocketReader.Read.NeedMore.class);
    }

    private static WebSocketReader.Read read(String hex) {
        byte[] bytes = HexFormat.of().parseHex(hex.replace(" ", ""));
        return new WebSocketReader(true, HELD_MAX).read(Unpooled.wrappedBuffer(bytes));
    }

    @Test
    void neverThrowsOnMutatedBytes() {
        long seed = 7;
        SplittableRandom random = new SplittableRandom(seed);
        for (int round = 0; round < 3_000; round++) {
            byte[] bytes = HexFormat.of().parseHex("0183010203046061628980010203048085010203046162636465");
            for (int i = 0; i < 3; i++) {
                bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
            }
            WebSocketReader reader = new WebSocketReader(true, 100);
            ByteBuf in = Unpooled.wrappedBuffer(bytes);
            WebSocketReader.Read read;
            int reads = 0;
            do {
                read = reader.read(in);
                if (read instanceof WebSocketReader.Read.Wants) {
                    reader.mayHold();
                    continue;
                }
                if (read instanceof WebSocketReader.Read.TooLarge) {
                    reader.passRest();
                }
                reads++;
            } while (!(read instanceof WebSocketReader.Read.NeedMore
                    || read instanceof WebSocketReader.Read.Malformed));

            assertThat(reads).as("seed %d, round %d", seed, round).isLessThan(30);
        }
    }

    @Test
    void aCloseKeepsWithinItsFrame() {
        WebSocketMessage close = WebSocketMessage.close(1008, "ü".repeat(200));

        assertThat(close.payload()).hasSize(124);
        assertThat(close.body().state()).isEqualTo("text");
    }
}
