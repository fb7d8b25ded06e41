package dev.capsem.wire.guest;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.wire.Decoded;
import dev.capsem.wire.mcp.McpFrame;
import dev.capsem.wire.mcp.McpFrames;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// The bounds of the codecs, to the byte.
class GuestProtocolLimitsTest {
    private static final ExecId EXEC = new ExecId(7);

    private static byte[] bytes(ByteBuffer frame) {
        byte[] bytes = new byte[frame.remaining()];
        frame.get(bytes);
        return bytes;
    }

    private static Decoded<Preamble> preamble(String text) {
        return Preamble.decode(ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)), false);
    }

    @Test
    void anOutputCarriesAtMost64KiB() {
        byte[] most = bytes(GuestProtocol.encode(
                new GuestMessage.Output(EXEC, OutputStreamName.STDOUT, new byte[GuestProtocol.DATA_BYTES_MAX])));
        ByteBuffer more =
                ByteBuffer.allocate(most.length + 1).put(most).put((byte) 0).flip();
        more.putInt(0, most.length + 1 - Integer.BYTES);

        assertThat(GuestProtocol.decodeGuest(ByteBuffer.wrap(most))).isInstanceOf(Decoded.Message.class);
        assertThat(GuestProtocol.decodeGuest(more)).isInstanceOf(Decoded.Malformed.class);
    }

    @Test
    void messagesOfNoExecCarryNoId() {
        List<ByteBuffer> host = List.of(
                GuestProtocol.encode(new HostMessage.Boot(1, "h", List.of())),
                GuestProtocol.encode(new HostMessage.Shutdown(5)));
        List<ByteBuffer> guest = List.of(
                GuestProtocol.encode(new GuestMessage.Hello(1, 5000, "v")),
                GuestProtocol.encode(new GuestMessage.Ready(List.of())),
                GuestProtocol.encode(new GuestMessage.ExecAuditOff("why")),
                GuestProtocol.encode(
                        new GuestMessage.Execed(4, 1, 0, 1, true, true, "/bin/ls", "/", "", "sh", List.of("ls"))),
                GuestProtocol.encode(new GuestMessage.ExecsMissed(3)));

        for (ByteBuffer frame : host) {
            ByteBuffer copy = ByteBuffer.wrap(bytes(frame));
            assertThat(GuestProtocol.decodeHost(copy)).isInstanceOf(Decoded.Message.class);
            copy.putInt(5, 1);
            assertThat(GuestProtocol.decodeHost(copy)).isInstanceOf(Decoded.Malformed.class);
        }
        for (ByteBuffer frame : guest) {
            ByteBuffer copy = ByteBuffer.wrap(bytes(frame));
            assertThat(GuestProtocol.decodeGuest(copy)).isInstanceOf(Decoded.Message.class);
            copy.putInt(5, 1);
            assertThat(GuestProtocol.decodeGuest(copy)).isInstanceOf(Decoded.Malformed.class);
        }
    }

    @Test
    void aTextMayNotBeginWithNul() {
        ByteBuffer frame = ByteBuffer.wrap(bytes(GuestProtocol.encode(new GuestMessage.Hello(1, 5000, "v"))));
        frame.put(frame.limit() - 1, (byte) 0);

        assertThat(GuestProtocol.decodeGuest(frame)).isInstanceOf(Decoded.Malformed.class);
    }

    /// Memory is reserved for the count only if the frame could hold that many.
    @ParameterizedTest
    @ValueSource(ints = {2, 1_000_000, Integer.MAX_VALUE, -1})
    void aCountIsBelievedAsFarAsTheFrameGoes(int count) {
        ByteBuffer frame = ByteBuffer.wrap(bytes(GuestProtocol.encode(new GuestMessage.Ready(List.of()))));
        frame.putInt(frame.limit() - Integer.BYTES, count);

        assertThat(GuestProtocol.decodeGuest(frame))
                .isEqualTo(new Decoded.Malformed<>("a list is longer than its frame"));
    }

    @ParameterizedTest
    @CsvSource({
        "1.2.3.4:1,       true",
        "1.2.3.4:65535,   true",
        "1.2.3.4:0,       false",
        "1.2.3.4:65536,   false",
        "255.255.255.255:1, true",
        "256.1.1.1:1,     false",
        "1.1.1.256:1,     false",
        "[::1]:53/udp,    true",
        "[::g]:53,        false",
        "[1.2.3.4]:53,    false",
    })
    void aDestinationIsAnAddressAndAPort(String destination, boolean expected) {
        assertThat(preamble("\0CAPSEM_META:x\n\0CAPSEM_DST:" + destination + "\nG") instanceof Decoded.Message)
                .isEqualTo(expected);
    }

    @Test
    void aProcessNameHasAtMost128BytesAndALine4096() {
        String name = "n".repeat(Preamble.PROCESS_NAME_BYTES_MAX);
        String longest = "\0CAPSEM_META:" + "n".repeat(Preamble.LINE_BYTES_MAX - 14) + "\n";

        assertThat(preamble("\0CAPSEM_META:" + name + "x\nGE"))
                .isInstanceOfSatisfying(
                        Decoded.Message.class,
                        read -> assertThat(((Preamble) read.value()).processName())
                                .contains(name));
        assertThat(longest).hasSize(Preamble.LINE_BYTES_MAX);
        assertThat(preamble(longest + "GE")).isInstanceOf(Decoded.Message.class);
        assertThat(preamble("\0CAPSEM_META:x" + longest.substring(13))).isInstanceOf(Decoded.Malformed.class);
        assertThat(preamble(longest.substring(0, Preamble.LINE_BYTES_MAX - 1))).isInstanceOf(Decoded.NeedMore.class);
    }

    @Test
    void anMcpFrameHasItsBounds() {
        String name = "n".repeat(McpFrames.PROCESS_NAME_BYTES_MAX);
        McpFrame largest =
                new McpFrame(McpFrame.STREAM_ID_MAX, name, new byte[McpFrames.PAYLOAD_BYTES_MAX - name.length()]);
        byte[] frame = McpFrames.encode(largest);

        assertThat(McpFrames.decode(ByteBuffer.wrap(frame)))
                .isEqualTo(new Decoded.Message<>(new McpFrames.Incoming.Frame(largest), frame.length));
        assertThat(McpFrames.announced(ByteBuffer.wrap(frame))).isEqualTo(OptionalLong.of(frame.length));
        assertThat(McpFrames.isFrameStart(ByteBuffer.wrap(frame))).isTrue();
        byte[] smallest = McpFrames.encode(new McpFrame(0, "", new byte[0]));
        assertThat(McpFrames.isFrameStart(ByteBuffer.wrap(smallest))).isTrue();
        assertThat(McpFrames.announced(ByteBuffer.wrap(smallest))).isEqualTo(OptionalLong.of(smallest.length));
        assertThat(McpFrames.announced(ByteBuffer.wrap(smallest, 0, 3))).isEmpty();
        for (int length : new int[] {McpFrames.HEADER_BYTES - 1, McpFrames.BODY_BYTES_MAX + 1}) {
            ByteBuffer wrong = ByteBuffer.wrap(smallest.clone()).putInt(0, length);
            assertThat(McpFrames.announced(wrong)).isEmpty();
            assertThat(McpFrames.isFrameStart(wrong)).isFalse();
        }
    }

    @Test
    void framesAreEqualByWhatTheyCarry() {
        McpFrame frame = new McpFrame(1, "a", new byte[] {1});

        assertThat(frame)
                .isEqualTo(new McpFrame(1, "a", new byte[] {1}))
                .hasSameHashCodeAs(new McpFrame(1, "a", new byte[] {1}))
                .isNotEqualTo(new McpFrame(2, "a", new byte[] {1}))
                .isNotEqualTo(new McpFrame(1, "b", new byte[] {1}))
                .isNotEqualTo(new McpFrame(1, "a", new byte[] {2}))
                .hasToString("McpFrame[stream 1, 1 bytes]");
    }
}
