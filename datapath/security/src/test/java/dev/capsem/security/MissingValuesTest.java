package dev.capsem.security;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.events.security.Decision;
import dev.capsem.events.security.SecurityEvent;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// A value that is not there never makes a rule match, whatever is done with it; only `exists()` and `has()`
/// see that it is not there.
class MissingValuesTest {
    /// Everything that can be done with a text, and with a value of unknown type. `$` is where the value stands.
    static List<String> reads() {
        return List.of(
                "$ == \"x\"",
                "$ != \"x\"",
                "$ < \"x\"",
                "$ <= \"x\"",
                "$ > \"x\"",
                "$ >= \"x\"",
                "\"x\" == $",
                "\"x\" != $",
                "$ == $",
                "$ != $",
                "$ in [\"x\"]",
                "!($ in [\"x\"])",
                "\"x\" in [$]",
                "$.contains(\"x\")",
                "$.startsWith(\"\")",
                "$.endsWith(\"\")",
                "$.matches(\"\")",
                "size($) == 0",
                "size($) >= 0",
                "$ + \"x\" == \"x\"",
                "$ + \"x\" != \"x\"",
                "($ == \"x\" ? true : true)",
                "[$].exists(v, v != \"x\")",
                "[$].all(v, v != \"x\")",
                "[$].filter(v, v != \"x\").size() == 0",
                "$.lowerAscii() != \"x\"",
                "string($) != \"x\"",
                "{\"k\": $} != {\"k\": \"x\"}");
    }

    private static final List<String> MISSING = List.of(
            "http.request.header(\"x\")",
            "http.request.query",
            "http.request.body.text",
            "http.request.body.content_type",
            "common.session_id");

    @ParameterizedTest
    @MethodSource("reads")
    void doesNotMatchOnAMissingValue(String read) {
        for (String value : MISSING) {
            String term = read.replace("$", value);

            assertThat(matches(term)).as(term).isFalse();
            assertThat(matches("!(" + term + ")")).as("not " + term).isFalse();
            assertThat(matches("!!(" + term + ")")).as("not not " + term).isFalse();
        }
    }

    @ParameterizedTest
    @MethodSource("reads")
    void staysMissingUnlessTheOtherSideDecidesAlone(String read) {
        String term = read.replace("$", "http.request.query");

        assertThat(matches(term + " && true")).as(term).isFalse();
        assertThat(matches("true && " + term)).as(term).isFalse();
        assertThat(matches(term + " || false")).as(term).isFalse();
        assertThat(matches("false || " + term)).as(term).isFalse();
        assertThat(matches("!(" + term + " && true)")).as(term).isFalse();
        assertThat(matches("!(" + term + " || false)")).as(term).isFalse();
        assertThat(matches(term + " || true")).as(term).isTrue();
        assertThat(matches("true || " + term)).as(term).isTrue();
        assertThat(matches("!(" + term + " && false)")).as(term).isTrue();
        assertThat(matches("!(false && " + term + ")")).as(term).isTrue();
    }

    @Test
    void existsAndHasAreTotal() {
        for (String value : MISSING) {
            assertThat(matches(value + ".exists()")).as(value).isFalse();
            assertThat(matches("!" + value + ".exists()")).as(value).isTrue();
        }
        assertThat(matches("has(http.request.query)")).isFalse();
        assertThat(matches("!has(http.request.query)")).isTrue();
        assertThat(matches("http.request.body.exists()")).isFalse();
        assertThat(matches("!has(http.request.body)")).isTrue();
        assertThat(matches("has(http.request.headers.x)")).isFalse();
        assertThat(matches("!http.request.headers[\"x\"].exists()")).isTrue();
    }

    @Test
    void looksIntoArgumentsAtAnyDepth() {
        SecurityEvent event = Events.mcp("s", "t", "{\"a\": {\"b\": [1, \"two\", null]}, \"n\": null, \"f\": 1.0}");

        assertThat(mcp("mcp.request.arguments.a.b[1] == \"two\"", event)).isTrue();
        assertThat(mcp("mcp.request.arguments.a.b[0] == 1", event)).isTrue();
        assertThat(mcp("mcp.request.arguments.f == 1", event)).isTrue();
        assertThat(mcp("mcp.request.arguments.n == null", event)).isTrue();
        assertThat(mcp("has(mcp.request.arguments.n)", event)).isTrue();
        assertThat(mcp("has(mcp.request.arguments.x.y.z)", event)).isFalse();
        assertThat(mcp("!has(mcp.request.arguments.x.y.z)", event)).isTrue();
        assertThat(mcp("mcp.request.arguments.x.y.z != 1", event)).isFalse();
        assertThat(mcp("!(mcp.request.arguments.x.y.z == 1)", event)).isFalse();
        assertThat(mcp("mcp.request.arguments.a.b[9] != 1", event)).isFalse();
        assertThat(mcp("\"a\" in mcp.request.arguments", event)).isTrue();
        assertThat(mcp("mcp.request.arguments.a.b.exists(v, v == \"two\")", event))
                .isTrue();
    }

    /// The value is there, but has another type than the operation wants: as good as missing.
    @Test
    void doesNotMatchOnAValueOfTheWrongType() {
        SecurityEvent event = Events.mcp("s", "t", "{\"n\": 5, \"t\": \"x\", \"l\": [1]}");

        for (String term : List.of(
                "mcp.request.arguments.n.startsWith(\"5\")",
                "mcp.request.arguments.n.contains(\"5\")",
                "mcp.request.arguments.t > 3",
                "mcp.request.arguments.t + 1 != 3",
                "mcp.request.arguments.l < 3",
                "size(mcp.request.arguments.n) != 3",
                "mcp.request.arguments.n.x != 3")) {
            assertThat(mcp(term, event)).as(term).isFalse();
            assertThat(mcp("!(" + term + ")", event)).as("not " + term).isFalse();
        }
    }

    /// Leaving out headers can only turn rules off that read them, if none asks whether they exist.
    @Test
    void omissionNeverMakesARuleMatch() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (int i = 0; i < 250; i++) {
            String term = expression(random, 4);

            boolean without = matches(term);
            boolean with1 = matches(term, Events.http("GET", "a.b", "/", "x", "1", "y", "2"));
            boolean with2 = matches(term, Events.http("GET", "a.b", "/", "x", "2", "y", "1"));
            boolean with3 = matches(term, Events.http("GET", "a.b", "/", "x", "1", "y", "1"));
            boolean with4 = matches(term, Events.http("GET", "a.b", "/", "x", "3", "y", "3"));

            // If it matches without the headers, it does not depend on them.
            assertThat(!without || (with1 && with2 && with3 && with4))
                    .as("seed %d: %s", seed, term)
                    .isTrue();
        }
    }

    private static String expression(Random random, int depth) {
        if (depth == 0 || random.nextInt(4) == 0) {
            String header = "http.request.header(\"" + (random.nextBoolean() ? "x" : "y") + "\")";
            return switch (random.nextInt(7)) {
                case 0 -> header + " == \"1\"";
                case 1 -> header + " != \"1\"";
                case 2 -> header + " < \"2\"";
                case 3 -> header + ".contains(\"1\")";
                case 4 -> "(" + header + " in [\"1\", \"2\"])";
                case 5 -> "http.request.host == \"a.b\"";
                default -> "http.request.host == \"c.d\"";
            };
        }
        String left = expression(random, depth - 1);
        String right = expression(random, depth - 1);
        return switch (random.nextInt(4)) {
            case 0 -> "!(" + left + ")";
            case 1 -> "(" + left + " && " + right + ")";
            case 2 -> "(" + left + " || " + right + ")";
            default -> "(" + left + " ? " + right + " : " + expression(random, depth - 1) + ")";
        };
    }

    private static boolean matches(String condition) {
        return matches(condition, Events.http("GET", "a.b", "/"));
    }

    private static boolean matches(String condition, SecurityEvent event) {
        return Events.engine(Events.only("http", "http.request", condition, "block", ""))
                        .evaluate(event)
                        .decision()
                == Decision.BLOCK;
    }

    private static boolean mcp(String condition, SecurityEvent event) {
        return Events.engine(Events.only("mcp", "mcp.request", condition, "block", ""))
                        .evaluate(event)
                        .decision()
                == Decision.BLOCK;
    }
}
