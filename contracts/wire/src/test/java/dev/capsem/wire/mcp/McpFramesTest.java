package dev.capsem.wire.mcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.capsem.wire.Decoded;
import dev.capsem.wire.mcp.McpFrames.Incoming;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.OptionalLong;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class McpFramesTest {
    private static final String WORKED_EXAMPLE = "000000184d43011000000001000000060000000" + "2636c617564657b7d";

    @Test
    void writesTheWorkedExampleOfTheSpecification() {
        assertThat(HexFormat.of().formatHex(McpFrames.encode(frame(1, "claude", "{}"))))
                .isEqualTo(WORKED_EXAMPLE);
    }

    @Test
    void readsTheWorkedExampleOfTheSpecification() {
        Decoded<Incoming> decoded =
                McpFrames.decode(ByteBuffer.wrap(HexFormat.of().parseHex(WORKED_EXAMPLE)));

        assertThat(decoded).isEqualTo(new Decoded.Message<>(new Incoming.Frame(frame(1, "claude", "{}")), 28));
    }

    @Test
    void aFrameIsRecognisedByItsFirstSixBytes() {
        assertThat(McpFrames.isFrameStart(bytes(WORKED_EXAMPLE))).isTrue();
        assertThat(McpFrames.isFrameStart(bytes("000000184d44"))).isFalse();
        assertThat(McpFrames.isFrameStart(bytes("0000000f4d43"))).isFalse();
        assertThat(McpFrames.isFrameStart(bytes("160301020001"))).isFalse();
    }

    @Test
    void decodesWhatWasEncodedHoweverItIsSplit() {
        long seed = 20_261_115L;
        Random random = new Random(seed);
        List<McpFrame> sent = new ArrayList<>();
        var stream = new java.io.ByteArrayOutputStream();
        for (int i = 0; i < 200; i++) {
            byte[] payload = new byte[random.nextInt(300)];
            random.nextBytes(payload);
            McpFrame frame = new McpFrame(random.nextInt(4), "näme".substring(random.nextInt(5)), payload);
            sent.add(frame);
            stream.writeBytes(McpFrames.encode(frame));
        }
        byte[] all = stream.toByteArray();

        for (int round = 0; round < 20; round++) {
            assertThat(decodeInPieces(all, random))
                    .as("seed %d, round %d", seed, round)
                    .isEqualTo(sent);
        }
    }

    private static List<McpFrame> decodeInPieces(byte[] all, Random random) {
        List<McpFrame> frames = new ArrayList<>();
        int consumed = 0;
        int known = 0;
        while (consumed < all.length) {
            known = Math.min(all.length, known + random.nextInt(64));
            boolean isProgress = true;
            while (isProgress) {
                Decoded<Incoming> decoded = McpFrames.decode(ByteBuffer.wrap(all, consumed, known - consumed));
                isProgress = decoded instanceof Decoded.Message;
                if (decoded instanceof Decoded.Message<Incoming>(Incoming.Frame(McpFrame frame), int length)) {
                    frames.add(frame);
                    consumed += length;
                }
            }
        }
        return frames;
    }

    @Test
    void mutatedBytesNeverThrowAndNeverBelieveALengthBeyondTheLimit() {
        long seed = 7L;
        Random random = new Random(seed);
        byte[] good = McpFrames.encode(frame(9, "claude", "{\"jsonrpc\":\"2.0\"}"));
        int rejected = 0;
        for (int round = 0; round < 50_000; round++) {
            byte[] bytes = good.clone();
            for (int flips = 1 + random.nextInt(3); flips > 0; flips--) {
                bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
            }
            switch (McpFrames.decode(ByteBuffer.wrap(bytes, 0, random.nextInt(bytes.length + 1)))) {
                case Decoded.Message<Incoming>(Incoming incoming, int consumed) -> {
                    assertThat(consumed).isBetween(20, bytes.length);
                    if (incoming instanceof Incoming.Rejected) {
                        rejected++;
                    }
                }
                case Decoded.NeedMore<Incoming> _ -> {}
                case Decoded.Malformed<Incoming> _ ->
                    assertThat(Integer.toUnsignedLong(ByteBuffer.wrap(bytes).getInt()))
                            .matches(length -> length < 16 || length > 1_052_672);
            }
        }
        assertThat(rejected).as("seed %d", seed).isPositive();
    }

    @ParameterizedTest
    @CsvSource({"0000000f", "00000000", "00101001", "ffffffff"})
    void aLengthOutOfBoundsEndsTheConnection(String length) {
        assertThat(McpFrames.decode(bytes(length))).isInstanceOf(Decoded.Malformed.class);
    }

    @Test
    void theLargestLengthIsWaitedFor() {
        assertThat(McpFrames.decode(bytes("00101000"))).isInstanceOf(Decoded.NeedMore.class);
        assertThat(McpFrames.announced(bytes("00101000"))).hasValue(4 + 1_052_672);
        assertThat(McpFrames.announced(bytes("00101001"))).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "000000184d44011000000001000000060000000" + "2636c617564657b7d, magic",
        "000000184d43021000000001000000060000000" + "2636c617564657b7d, version",
        "000000184d43011100000001000000060000000" + "2636c617564657b7d, header length",
        "000000184d43011000000001000200060000000" + "2636c617564657b7d, reserved flag",
        "000000184d43011000000001000100060000000" + "2636c617564657b7d, contradict",
        "000000184d43011000000001000000060000000" + "3636c617564657b7d, add up",
        "000000184d43011000000001000000810000000" + "2636c617564657b7d, too long",
        "000000184d4301100000000100000006ffffffff" + "636c617564657b7d, add up",
        "000000184d43011000000001000000060000000" + "2ff6c617564657b7d, not UTF-8",
    })
    void aBrokenHeaderCostsOnlyItsFrameAndTellsWhichStream(String hex, String reason) {
        Decoded<Incoming> decoded = McpFrames.decode(bytes(hex));

        assertThat(decoded).isInstanceOfSatisfying(Decoded.Message.class, message -> {
            assertThat(message.consumed()).isEqualTo(28);
            assertThat(message.value()).isInstanceOfSatisfying(Incoming.Rejected.class, rejected -> {
                assertThat(rejected.streamId()).isEqualTo(OptionalLong.of(1));
                assertThat(rejected.reason()).contains(reason);
            });
        });
    }

    @Test
    void streamZeroWithoutTheFlagHasNobodyToTell() {
        Decoded<Incoming> decoded =
                McpFrames.decode(bytes("000000184d43011000000000000000060000000" + "2636c617564657b7d"));

        assertThat(decoded)
                .isInstanceOfSatisfying(
                        Decoded.Message.class,
                        message -> assertThat(message.value())
                                .isInstanceOfSatisfying(
                                        Incoming.Rejected.class,
                                        rejected ->
                                                assertThat(rejected.streamId()).isEmpty()));
    }

    @Test
    void aFrameHoldsWhatTheLimitAllowsAndNotOneByteMore() {
        int room = McpFrames.PAYLOAD_BYTES_MAX - "claude".length();

        assertThat(McpFrames.encode(new McpFrame(1, "claude", new byte[room]))).hasSize(4 + 1_052_672);
        assertThat(McpFrame.fits("claude", room)).isTrue();
        assertThat(McpFrame.fits("claude", room + 1)).isFalse();
        assertThatThrownBy(() -> new McpFrame(1, "claude", new byte[room + 1]))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new McpFrame(1, "n".repeat(129), new byte[0]))
                .isInstanceOf(IllegalArgumentException.class);
    }

    private static ByteBuffer bytes(String hex) {
        return ByteBuffer.wrap(HexFormat.of().parseHex(hex));
    }

    private static McpFrame frame(long streamId, String name, String payload) {
        return new McpFrame(streamId, name, payload.getBytes(StandardCharsets.UTF_8));
    }
}
