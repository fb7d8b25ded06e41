package dev.capsem.llm.stream;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ArrayParserTest {
    private static List<String> parse(String text, int size) {
        List<String> seen = new ArrayList<>();
        ArrayParser parser = new ArrayParser(new PieceSink() {
            @Override
            public void piece(String type, byte[] buffer, int from, int to) {
                seen.add(new String(buffer, from, to - from, StandardCharsets.UTF_8).strip());
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
    void findsElementsWhateverTheyHoldAndHoweverTheyAreSplit() {
        String text = "[{\"a\":\"],}\\\"\"}\n,\r\n{\"b\":[1,2,{\"c\":{}}]} , 3]\n";
        for (int size = 1; size <= text.length(); size++) {
            assertThat(parse(text, size))
                    .as("chunks of %d", size)
                    .containsExactly("{\"a\":\"],}\\\"\"}", "{\"b\":[1,2,{\"c\":{}}]}", "3");
        }
    }

    @Test
    void hasNoElementsInAnEmptyArray() {
        assertThat(parse("[ \n]", 2)).isEmpty();
    }

    @Test
    void handsOnWhatWasLeftOpen() {
        assertThat(parse("[{\"a\":1},{\"b\":", 4)).containsExactly("{\"a\":1}", "{\"b\":");
    }

    @Test
    void losesAnElementOverTheLimitAndNoOther() {
        String text = "[1,\"" + "x".repeat(ArrayParser.ELEMENT_BYTES_MAX) + "\",2]";
        assertThat(parse(text, text.length())).containsExactly("1", "oversized", "2");
        assertThat(parse(text, 100_000)).containsExactly("1", "oversized", "2");
    }
}
