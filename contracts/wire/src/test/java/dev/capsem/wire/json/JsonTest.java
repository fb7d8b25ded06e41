package dev.capsem.wire.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/// Jackson's own mapper is the oracle: trees and texts must be the same as its.
class JsonTest {
    private static final JsonMapper MAPPER = new JsonMapper();

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                "[]",
                "null",
                "true",
                "\"\"",
                "0",
                "-1",
                "2147483648",
                "123456789012345678901234567890",
                "1.5",
                "1e300",
                " {\"a\" : [1, {\"b\": null}, \"\\u00e9\\n\\ud83d\\ude00\"], \"c\": false} "
            })
    void readsAndWritesAsTheMapperDoes(String text) {
        JsonNode tree = Json.parse(text);

        assertThat(tree).isEqualTo(MAPPER.readTree(text));
        assertThat(Json.text(tree)).isEqualTo(MAPPER.writeValueAsString(tree));
        assertThat(Json.parse(Json.bytes(tree))).isEqualTo(tree);
    }

    @Test
    void randomTreesSurviveWritingAndReading() {
        long seed = System.nanoTime();
        var random = new Random(seed);
        for (int round = 0; round < 200; round++) {
            JsonNode tree = randomTree(random, 5);

            assertThat(Json.parse(Json.text(tree)))
                    .as("seed %d round %d", seed, round)
                    .isEqualTo(tree);
            assertThat(Json.text(tree)).isEqualTo(MAPPER.writeValueAsString(tree));
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "{",
                "[1",
                "[1,]",
                "{\"a\"}",
                "{\"a\":}",
                "{\"a\":1,}",
                "{} {}",
                "1 2",
                "nul",
                "{'a':1}",
                "{\"a\":1,\"a\":2}",
                "\"open",
                "[1}",
                "\u0000",
                "// x"
            })
    void refusesWhatIsNotExactlyOneValue(String text) {
        assertThatThrownBy(() -> Json.parse(text)).isInstanceOf(JsonShapeException.class);
    }

    @Test
    void refusesNestingBeyondItsLimit() {
        String deepest = "[".repeat(Json.DEPTH_MAX) + "]".repeat(Json.DEPTH_MAX);

        assertThat(Json.parse(deepest).isArray()).isTrue();
        assertThatThrownBy(() -> Json.parse("[" + deepest + "]")).isInstanceOf(JsonShapeException.class);
    }

    @Test
    void neverThrowsAnythingElseOnDamagedBytes() {
        long seed = System.nanoTime();
        var random = new Random(seed);
        byte[] good = "{\"a\":[1,2.5,\"é\",{\"b\":null}],\"c\":true}".getBytes(StandardCharsets.UTF_8);
        for (int round = 0; round < 2_000; round++) {
            byte[] damaged = good.clone();
            damaged[random.nextInt(damaged.length)] = (byte) random.nextInt(256);
            try {
                Json.parse(damaged);
            } catch (JsonShapeException refused) {
                assertThat(refused.reason()).as("seed %d", seed).isNotEmpty();
            }
        }
    }

    private static JsonNode randomTree(Random random, int depth) {
        return switch (random.nextInt(depth > 0 ? 7 : 5)) {
            case 0 -> Json.object().put("x", random.nextLong()).get("x");
            case 1 -> Json.object().put("x", random.nextInt()).get("x");
            case 2 -> Json.object().put("x", random.nextDouble()).get("x");
            case 3 ->
                Json.object().put("x", "\u0001\"\\/é😀" + random.nextInt()).get("x");
            case 4 -> random.nextBoolean() ? Json.object().putNull("x").get("x") : Json.parse("true");
            case 5 -> {
                ArrayNode array = Json.array();
                for (int i = random.nextInt(4); i > 0; i--) {
                    array.add(randomTree(random, depth - 1));
                }
                yield array;
            }
            default -> {
                ObjectNode object = Json.object();
                for (int i = random.nextInt(4); i > 0; i--) {
                    object.set("m" + i, randomTree(random, depth - 1));
                }
                yield object;
            }
        };
    }

    @Test
    void indentsForReaders() {
        String text = "{\"a\":[1,{}],\"b\":{\"c\":\"d\"},\"e\":[]}";

        assertThat(Json.pretty(Json.parse(text))).isEqualTo("""
                {
                  "a": [
                    1,
                    {}
                  ],
                  "b": {
                    "c": "d"
                  },
                  "e": []
                }""");
        assertThat(Json.parse(Json.pretty(Json.parse(text)))).isEqualTo(Json.parse(text));
    }
}
