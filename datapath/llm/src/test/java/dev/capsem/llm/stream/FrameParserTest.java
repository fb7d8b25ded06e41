package dev.capsem.llm.stream;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.zip.CRC32;
import org.junit.jupiter.api.Test;

class FrameParserTest {
    private static final long SEED = 20_261_116;

    private static byte[] frame(String type, String payload) {
        byte[] said = payload.getBytes(StandardCharsets.UTF_8);
        ByteArrayOutputStream headers = new ByteArrayOutputStream();
        header(headers, ":message-type", "event");
        header(headers, ":event-type", type);
        byte[] head = headers.toByteArray();
        ByteBuffer out = ByteBuffer.allocate(12 + head.length + said.length + 4);
        out.putInt(out.capacity()).putInt(head.length);
        out.putInt(checksum(out));
        out.put(head).put(said);
        out.putInt(checksum(out));
        return out.array();
    }

    private static void header(ByteArrayOutputStream out, String name, String value) {
        out.write(name.length());
        out.writeBytes(name.getBytes(StandardCharsets.UTF_8));
        out.write(7);
        out.write(value.length() >> 8);
        out.write(value.length());
        out.writeBytes(value.getBytes(StandardCharsets.UTF_8));
    }

    private static int checksum(ByteBuffer so) {
        CRC32 crc = new CRC32();
        crc.update(so.duplicate().flip());
        return (int) crc.getValue();
    }

    private static byte[] join(byte[]... parts) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            out.writeBytes(part);
        }
        return out.toByteArray();
    }

    private static List<String> parse(byte[] bytes, int size) {
        List<String> seen = new ArrayList<>();
        FrameParser parser = new FrameParser(new PieceSink() {
            @Override
            public void piece(String type, byte[] buffer, int from, int to) {
                seen.add(type + " " + new String(buffer, from, to - from, StandardCharsets.UTF_8));
            }

            @Override
            public void oversized(String type) {
                seen.add("oversized");
            }

            @Override
            public void malformed(String type) {
                seen.add("malformed");
            }
        });
        for (int from = 0; from < bytes.length; from += size) {
            parser.feed(bytes, from, Math.min(bytes.length, from + size));
        }
        parser.finish();
        return seen;
    }

    @Test
    void findsMessagesHoweverTheyAreSplit() {
        byte[] bytes = join(frame("chunk", "{\"a\":1}"), frame("metadata", ""), frame("chunk", "{\"b\":2}"));
        for (int size = 1; size <= bytes.length; size++) {
            assertThat(parse(bytes, size))
                    .as("chunks of %d", size)
                    .containsExactly("chunk {\"a\":1}", "metadata ", "chunk {\"b\":2}");
        }
    }

    @Test
    void readsNothingAfterAWrongChecksum() {
        byte[] first = frame("chunk", "one");
        byte[] second = frame("chunk", "two");
        byte[] bytes = join(first, second, frame("chunk", "three"));
        for (int at = 0; at < second.length; at++) {
            byte[] wrong = bytes.clone();
            wrong[first.length + at] ^= 0x10;

            assertThat(parse(wrong, 7)).as("byte %d", at).containsExactly("chunk one", "malformed");
        }
    }

    @Test
    void losesAMessageThatWasCut() {
        byte[] bytes = join(frame("chunk", "one"), frame("chunk", "two"));
        assertThat(parse(Arrays.copyOf(bytes, bytes.length - 1), 5)).containsExactly("chunk one", "malformed");
    }

    @Test
    void losesAMessageOverTheLimitAndNoOther() {
        byte[] bytes =
                join(frame("chunk", "1"), frame("chunk", "x".repeat(FrameParser.FRAME_BYTES_MAX)), frame("chunk", "2"));
        assertThat(parse(bytes, bytes.length)).containsExactly("chunk 1", "oversized", "chunk 2");
        assertThat(parse(bytes, 100_000)).containsExactly("chunk 1", "oversized", "chunk 2");
    }

    @Test
    void takesAnyHeadersWithTheRightChecksum() {
        Random random = new Random(SEED);
        for (int round = 0; round < 2_000; round++) {
            byte[] head = new byte[random.nextInt(40)];
            random.nextBytes(head);
            ByteBuffer out = ByteBuffer.allocate(12 + head.length + 4);
            out.putInt(out.capacity()).putInt(head.length);
            out.putInt(checksum(out));
            out.put(head);
            out.putInt(checksum(out));

            assertThat(parse(out.array(), 1 + random.nextInt(9)))
                    .as("seed %d, round %d", SEED, round)
                    .hasSize(1);
        }
    }
}
