package dev.capsem.source.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.capsem.source.Position;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JsonReaderTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "{",
                "[1,]",
                "{\"a\":1,}",
                "{a:1}",
                "'x'",
                "01",
                "1.",
                "-",
                "1e",
                "nul",
                "tru",
                "\"\\x\"",
                "\"\\u12\"",
                "\"\\ud800\"",
                "\"\\udc00\\ud800\"",
                "\"\t\"",
                "\"abc",
                "1 2",
                "// x\n1",
                "[1 2]",
                "NaN",
                "+1",
                ".5",
                "\u00a01",
                "{\"a\" 1}",
                "\ufeff{}"
            })
    void refusesWhatIsNotJson(String text) {
        assertThat(JsonReader.read(text)).isInstanceOf(JsonReading.Malformed.class);
        assertThat(JsonReader.read(text.getBytes(StandardCharsets.UTF_8))).isInstanceOf(JsonReading.Malformed.class);
    }

    @Test
    void refusesBytesThatAreNotUtf8() {
        assertThat(JsonReader.read(new byte[] {'"', (byte) 0xc3, '"'})).isInstanceOf(JsonReading.Malformed.class);
        assertThat(JsonReader.read(new byte[] {'"', (byte) 0xed, (byte) 0xa0, (byte) 0x80, '"'}))
                .isInstanceOf(JsonReading.Malformed.class);
    }

    @Test
    void tellsWhereTheFaultIs() {
        JsonReading.Malformed fault = (JsonReading.Malformed) JsonReader.read("{\n  \"a\": 1,\n  b\n}");

        assertThat(fault.line()).isEqualTo(3);
        assertThat(fault.column()).isEqualTo(3);
    }

    @Test
    void keepsOffsetsAndReportsDuplicates() {
        ParsedJson document = parsed("{\"a\":\n [true, {\"b\":1,\"b\":2}]}");

        JsonValue.Items items =
                (JsonValue.Items) ((JsonValue.Members) document.root()).get("a").orElseThrow();
        assertThat(document.lines().position(items.list().get(1).offset())).isEqualTo(new Position(2, 9));
        assertThat(document.duplicates()).hasSize(1);
        assertThat(document.duplicates().getFirst().pointer()).isEqualTo("/a/1/b");
    }

    @Test
    void boundsDepth() {
        String deep = "[".repeat(100_000);

        JsonReading.Malformed fault = (JsonReading.Malformed) JsonReader.read(deep);

        assertThat(fault.reason()).contains("deeper");
        assertThat(JsonReader.read("[".repeat(60) + "]".repeat(60))).isInstanceOf(JsonReading.Parsed.class);
    }

    @Test
    void writesAsJsonStringifyDoes() {
        JsonValue value = parsed("{\"b\":[],\"a\":{},\"c\":[1,\"x/<\u00e9\\u0001\\n\"],\"d\":null}")
                .root();

        assertThat(JsonWriter.compact(value))
                .isEqualTo("{\"b\":[],\"a\":{},\"c\":[1,\"x/<\u00e9\\u0001\\n\"],\"d\":null}");
        assertThat(JsonWriter.pretty(value)).isEqualTo("""
                {
                  "b": [],
                  "a": {},
                  "c": [
                    1,
                    "x/<\u00e9\\u0001\\n"
                  ],
                  "d": null
                }""");
    }

    @Test
    void canonicalFormSortsByUtf16UnitAndTakesIntegersOnly() {
        JsonValue value = parsed("{\"b\":1e2,\"a\":-0,\"\ud83d\ude00\":true,\"\ufb33\":false}")
                .root();

        assertThat(JsonWriter.canonical(value)).isEqualTo("{\"a\":0,\"b\":100,\"\ud83d\ude00\":true,\"\ufb33\":false}");
        assertThatThrownBy(() -> JsonWriter.canonical(parsed("1.5").root())).hasMessageContaining("integer");
        assertThatThrownBy(() -> JsonWriter.canonical(parsed("1e999999999").root()))
                .hasMessageContaining("integer");
    }

    private static ParsedJson parsed(String text) {
        return ((JsonReading.Parsed) JsonReader.read(text)).document();
    }
}
