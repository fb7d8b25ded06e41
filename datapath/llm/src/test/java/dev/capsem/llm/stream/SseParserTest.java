package dev.capsem.llm.stream;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.llm.json.KnownNames;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class SseParserTest {
    private static final long SEED = 99;

    private static final class Pieces implements PieceSink {
        private final List<String> seen = new ArrayList<>();

        @Override
        public void piece(String type, byte[] buffer, int from, int to) {
            seen.add(type + "|" + new String(buffer, from, to - from, StandardCharsets.UTF_8));
        }

        @Override
        public void oversized(String type) {
            seen.add("oversized");
        }
    }

    private static List<String> parse(String text, int... cuts) {
        Pieces pieces = new Pieces();
        SseParser parser = new SseParser(new KnownNames(List.of("ping")), pieces);
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        int from = 0;
        for (int cut : cuts) {
            feed(parser, bytes, from, cut);
            from = cut;
        }
        feed(parser, bytes, from, bytes.length);
        parser.finish();
        return pieces.seen;
    }

    /// In a buffer that is overwritten after the call, as buffers of a connection are.
    private static void feed(SseParser parser, byte[] bytes, int from, int to) {
        byte[] chunk = Arrays.copyOfRange(bytes, from, to);
        parser.feed(chunk, 0, chunk.length);
        Arrays.fill(chunk, (byte) '!');
    }

    @Test
    void endsLinesWithLfCrOrBoth() {
        assertThat(parse("data: a\n\ndata: b\r\rdata: c\r\n\r\n")).containsExactly("|a", "|b", "|c");
    }

    @Test
    void joinsDataLinesAndRemovesOneSpace() {
        assertThat(parse("data:a\ndata:  b\ndata\ndata: c\n\n")).containsExactly("|a\n b\n\nc");
    }

    @Test
    void readsTheTypeAndForgetsIt() {
        assertThat(parse("event: ping\ndata: 1\n\ndata: 2\n\nevent:other\ndata: 3\n\n"))
                .containsExactly("ping|1", "|2", "other|3");
    }

    @Test
    void ignoresCommentsIdsAndEventsWithoutData() {
        assertThat(parse(": hi\nid: 1\nretry: 5\ndatax: 1\nevent: e\n\ndata: 1\n\n"))
                .containsExactly("|1");
    }

    @Test
    void dropsTheMarkAtTheEnd() {
        assertThat(parse("data: {}\n\ndata: [DONE]\n\n")).containsExactly("|{}");
    }

    @Test
    void skipsAByteOrderMark() {
        assertThat(parse("\ufeffdata: 1\n\n", 1, 2)).containsExactly("|1");
    }

    @Test
    void handsOnWhatTheStreamLeftOpen() {
        assertThat(parse("data: 1\n\ndata: 2")).containsExactly("|1", "|2");
    }

    @Test
    void losesAnEventOverTheLimitAndNoOther() {
        String long1 = "data: " + "x".repeat(SseParser.LINE_BYTES_MAX) + "\n\n";
        String long2 = ("data: " + "y".repeat(SseParser.EVENT_BYTES_MAX / 2) + "\n").repeat(3) + "\n";
        String text = "data: 1\n\n" + long1 + "data: 2\n\n" + long2 + "data: 3\n\n";

        List<String> expected = List.of("|1", "oversized", "|2", "oversized", "|3");
        assertThat(parse(text)).isEqualTo(expected);
        assertThat(parse(text, 20, 5_000, SseParser.LINE_BYTES_MAX + 10, SseParser.LINE_BYTES_MAX + 30))
                .isEqualTo(expected);
    }

    @Test
    void givesTheSameEventsUnderAnySplit() {
        String[] tokens = {"data: ", "data:", "event: ping", "\n", "\r", "\r\n", "\n\n", ":", "x", "{\"a\":1}", "[DONE]"
        };
        Random random = new Random(SEED);
        for (int round = 0; round < 3_000; round++) {
            StringBuilder text = new StringBuilder();
            for (int i = random.nextInt(30); i >= 0; i--) {
                text.append(tokens[random.nextInt(tokens.length)]);
            }
            String whole = text.toString();
            int[] cuts = random.ints(random.nextInt(8), 0, whole.length() + 1)
                    .sorted()
                    .toArray();

            assertThat(parse(whole, cuts))
                    .as("seed %d: %s cut at %s", SEED, whole, Arrays.toString(cuts))
                    .isEqualTo(parse(whole));
        }
    }
}
