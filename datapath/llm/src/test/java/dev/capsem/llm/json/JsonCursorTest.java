package dev.capsem.llm.json;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class JsonCursorTest {
    private static final KnownNames NAMES = new KnownNames(List.of("a", "b", "model", "text", "response.created"));
    private static final long SEED = 4_711;

    /// Another reader of the same grammar and depth.
    private static final JsonMapper OTHER = JsonMapper.builder(JsonFactory.builder()
                    .streamReadConstraints(StreamReadConstraints.builder()
                            .maxNestingDepth(JsonCursor.DEPTH_MAX)
                            .build())
                    .build())
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    private static JsonCursor over(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        return new JsonCursor(NAMES).reset(bytes, 0, bytes.length);
    }

    private static boolean accepts(byte[] text) {
        JsonCursor in = new JsonCursor(NAMES).reset(text, 0, text.length);
        in.skip();
        return in.isAtEnd();
    }

    @Test
    void readsMembersInAnyOrderAndSkipsTheRest() {
        JsonCursor in = over(" {\"x\":[{\"a\":1}],\"b\":-12,\"model\":\"m\",\"a\":true} ");
        List<Object> seen = new ArrayList<>();

        assertThat(in.enterObject()).isTrue();
        while (in.nextMember()) {
            switch (in.name()) {
                case "a" -> seen.add(in.truth());
                case "b" -> seen.add(in.integer(0));
                case "model" -> seen.add(String.valueOf(in.string()));
                default -> in.skip();
            }
        }

        assertThat(seen).containsExactly(-12L, "m", true);
        assertThat(in.isAtEnd()).isTrue();
    }

    @Test
    void readsAMemberWhoseNameIsSpelledWithEscapes() {
        JsonCursor in = over("{\"mod\\u0065l\":\"x\"}");

        in.enterObject();
        in.nextMember();

        assertThat(in.name()).isEqualTo("model");
        assertThat(in.string()).isEqualTo("x");
    }

    @Test
    void decodesEveryEscapeAndLoneSurrogates() {
        assertThat(over("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e4\\ud83d\\ude00ü😀\"")
                        .string())
                .isEqualTo("\"\\/\b\f\n\r\tä😀ü😀");
        assertThat(over("\"\\ud83d\"").string()).isEqualTo("\ud83d");
    }

    @Test
    void countsAValueOfAnotherTypeAsAbsent() {
        JsonCursor in = over("[1,\"two\",{\"a\":[]},null,1.9,99999999999999999999]");

        in.enterArray();

        in.nextElement();
        assertThat(in.string()).isNull();
        in.nextElement();
        assertThat(in.integer(-1)).isEqualTo(-1);
        in.nextElement();
        assertThat(in.enterArray()).isFalse();
        in.nextElement();
        assertThat(in.truth()).isFalse();
        in.nextElement();
        assertThat(in.integer(-1)).isEqualTo(1);
        in.nextElement();
        assertThat(in.integer(-1)).isEqualTo(-1);
        assertThat(in.nextElement()).isFalse();
        assertThat(in.isAtEnd()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "{",
                "[",
                "{]",
                "[}",
                "{\"a\"}",
                "{\"a\":}",
                "{\"a\":1,}",
                "[1,]",
                "[,1]",
                "01",
                "1.",
                "-",
                "1e",
                "tru",
                "nul",
                "\"",
                "\"\\x\"",
                "\"\\u12g4\"",
                "\"\u0001\"",
                "{a:1}",
                "1 2",
                "[1 2]",
                "{\"a\":1 \"b\":2}",
                "'a'",
                "NaN",
                "/**/1",
                "\u00a01"
            })
    void rejectsWhatIsNotJson(String text) {
        assertThat(accepts(text.getBytes(StandardCharsets.UTF_8))).isFalse();
    }

    @Test
    void endsEveryLoopAfterAnError() {
        JsonCursor in = over("{\"a\":[1,{\"b\":\"\\q\"}]}");
        int steps = 0;

        in.enterObject();
        while (in.nextMember()) {
            in.enterArray();
            while (in.nextElement()) {
                in.skip();
                steps++;
            }
        }

        assertThat(in.isMalformed()).isTrue();
        assertThat(steps).isLessThan(4);
    }

    @Test
    void refusesWhatIsNestedTooDeeply() {
        assertThat(accepts(nested(JsonCursor.DEPTH_MAX))).isTrue();
        assertThat(accepts(nested(JsonCursor.DEPTH_MAX + 1))).isFalse();
        assertThat(accepts("[".repeat(1_000_000).getBytes(StandardCharsets.UTF_8)))
                .isFalse();
    }

    private static byte[] nested(int depth) {
        return ("[".repeat(depth) + "]".repeat(depth)).getBytes(StandardCharsets.UTF_8);
    }

    @Test
    void acceptsExactlyWhatAnotherReaderAccepts() {
        Random random = new Random(SEED);
        String alphabet = "{}[]\",:\\u0a1e.-+tfn \nalsrue";
        int accepted = 0;

        for (int round = 0; round < 30_000; round++) {
            String text = round % 2 == 0 ? mutated(document(random, 0), random, alphabet) : document(random, 0);
            boolean ours = accepts(text.getBytes(StandardCharsets.UTF_8));
            assertThat(ours).as("seed %d, round %d: %s", SEED, round, text).isEqualTo(otherAccepts(text));
            accepted += ours ? 1 : 0;
        }

        assertThat(accepted).isBetween(15_000, 29_000);
    }

    @Test
    void readsStringsAsAnotherReaderDoes() {
        Random random = new Random(SEED);
        for (int round = 0; round < 5_000; round++) {
            String text = string(random);
            assertThat(over(text).string())
                    .as("seed %d: %s", SEED, text)
                    .isEqualTo(OTHER.readTree(text).stringValue());
        }
    }

    private static boolean otherAccepts(String text) {
        try {
            JsonNode node = OTHER.readTree(text);
            return !node.isMissingNode();
        } catch (JacksonException notJson) {
            return false;
        }
    }

    private static String document(Random random, int depth) {
        int kind = random.nextInt(depth > 4 ? 5 : 8);
        return switch (kind) {
            case 0 -> "true";
            case 1 -> "null";
            case 2 -> "-0.5e+" + random.nextInt(9);
            case 3 -> String.valueOf(random.nextInt(1_000_000));
            case 4 -> string(random);
            default -> container(random, depth, kind == 5);
        };
    }

    private static String container(Random random, int depth, boolean isArray) {
        List<String> items = new ArrayList<>();
        for (int i = random.nextInt(4); i > 0; i--) {
            items.add((isArray ? "" : "\"k" + random.nextInt(99) + "\" :") + document(random, depth + 1));
        }
        String joined = String.join(" ,", items);
        return isArray ? "[" + joined + "]" : "{ " + joined + "}";
    }

    private static String string(Random random) {
        StringBuilder out = new StringBuilder("\"");
        for (int i = random.nextInt(30); i > 0; i--) {
            switch (random.nextInt(6)) {
                case 0 -> out.append("\\n");
                case 1 -> out.append("\\u00").append(10 + random.nextInt(80));
                case 2 -> out.append("é😀");
                default -> out.append((char) ('a' + random.nextInt(26)));
            }
        }
        return out.append('"').toString();
    }

    private static String mutated(String text, Random random, String alphabet) {
        StringBuilder out = new StringBuilder(text);
        for (int i = 1 + random.nextInt(3); i > 0; i--) {
            int at = random.nextInt(out.length() + 1);
            char letter = alphabet.charAt(random.nextInt(alphabet.length()));
            switch (random.nextInt(3)) {
                case 0 -> out.insert(at, letter);
                case 1 -> out.deleteCharAt(Math.min(at, out.length() - 1));
                default -> out.setCharAt(Math.min(at, out.length() - 1), letter);
            }
            if (out.isEmpty()) {
                out.append(letter);
            }
        }
        return out.toString();
    }
}
