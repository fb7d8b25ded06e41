package dev.capsem.llm.stream;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class SequenceParserTest {
    private static List<String> parse(String text, int size) {
        List<String> seen = new ArrayList<>();
        SequenceParser parser = new SequenceParser(new PieceSink() {
            @Override
            public void piece(String type, byte[] buffer, int from, int to) {
                seen.add(new String(buffer, from, to - from, StandardCharsets.UTF_8));
            }

            @Override
            public void oversized(String type) {
                seen.add("oversized");
            }
        });
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        for (int from = 0; from < bytes.length; from += size) {
            parser.feed(bytes, from, Math.min(bytes.length, from + size));
        }
        parser.finish();
        return seen;
    }

    @Test
    void findsObjectsWhateverTheyHoldAndHoweverTheyAreSplit() {
        String text = "{\"a\":\"}{\\\"\"}\n{\"b\":[1,{\"c\":{}}]}\r\n\n{ \"d\" :\n 1 }{}";
        for (int size = 1; size <= text.length(); size++) {
            assertThat(parse(text, size))
                    .as("chunks of %d", size)
                    .containsExactly("{\"a\":\"}{\\\"\"}", "{\"b\":[1,{\"c\":{}}]}", "{ \"d\" :\n 1 }", "{}");
        }
    }

    @Test
    void handsOnWhatWasLeftOpen() {
        assertThat(parse("{\"a\":1}\n{\"b\":", 4)).containsExactly("{\"a\":1}", "{\"b\":");
    }

    @Test
    void losesAnObjectOverTheLimitAndNoOther() {
        String text = "{\"a\":1}\n{\"b\":\"" + "x".repeat(SequenceParser.OBJECT_BYTES_MAX) + "\"}\n{\"c\":1}";
        assertThat(parse(text, text.length())).containsExactly("{\"a\":1}", "oversized", "{\"c\":1}");
        assertThat(parse(text, 100_000)).containsExactly("{\"a\":1}", "oversized", "{\"c\":1}");
    }
}
