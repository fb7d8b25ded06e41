package dev.capsem.security.rule;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.events.security.BlockCause;
import dev.capsem.events.security.Body;
import dev.capsem.events.security.Evaluation;
import dev.capsem.events.security.SecurityEvent;
import dev.capsem.events.security.SecurityEvent.HttpRequest;
import dev.capsem.events.security.SecurityEvent.HttpResponse;
import dev.capsem.events.security.SecurityEvent.McpRequest;
import dev.capsem.events.security.SecurityEvent.McpResponse;
import dev.capsem.security.Events;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

class RewriteTest {
    @Test
    void replacesInThePathWithNamedGroups() {
        HttpRequest changed = (HttpRequest) rewritten(
                "http.request",
                "http.request.path",
                "^/v1/(?P<rest>.*)$",
                "/v2/${rest}",
                Events.http("GET", "a.b", "/v1/x/y"));

        assertThat(changed.path()).isEqualTo("/v2/x/y");
    }

    @Test
    void replacesInTheQueryAndMayEmptyIt() {
        assertThat(((HttpRequest) rewritten(
                                "http.request",
                                "http.request.query",
                                "key=[^&]*",
                                "",
                                Events.http("GET", "a.b", "/?key=1")))
                        .query())
                .isEmpty();
    }

    @Test
    void replacesInHeadersAndBodies() {
        HttpRequest request = Events.http("POST", "a.b", "/", Body.of("token=abc"), "X-A", "v=1", "x-a", "v=2");

        assertThat(((HttpRequest) rewritten("http.request", "http.request.header(\"X-A\")", "v=", "w=", request))
                        .headers()
                        .value("x-a"))
                .contains("w=1, w=2");
        assertThat(((HttpRequest) rewritten(
                                "http.request", "http.request.body.text", "token=\\\\w+", "token=***", request))
                        .body())
                .isEqualTo(Body.of("token=***"));
        assertThat(((HttpResponse) rewritten(
                                "http.response",
                                "http.response.body.text",
                                "b",
                                "c",
                                Events.response(request, 200, Body.of("abba"))))
                        .body())
                .isEqualTo(Body.of("acca"));
    }

    @Test
    void replacesInArgumentsEverywhereOrInOnePlace() {
        McpRequest request = Events.mcp("s", "t", "{\"a\": \"prod\", \"b\": {\"c\": [\"prod-1\", 5]}}");

        assertThat(((McpRequest) rewritten("mcp.request", "mcp.request.arguments", "prod", "test", request))
                        .arguments()
                        .orElseThrow()
                        .text())
                .isEqualTo("{\"a\":\"test\",\"b\":{\"c\":[\"test-1\",5]}}");
        assertThat(((McpRequest) rewritten("mcp.request", "mcp.request.arguments.b", "prod", "test", request))
                        .arguments()
                        .orElseThrow()
                        .text())
                .isEqualTo("{\"a\":\"prod\",\"b\":{\"c\":[\"test-1\",5]}}");
        assertThat(((McpResponse) rewritten(
                                "mcp.response",
                                "mcp.response.content",
                                "secret",
                                "***",
                                Events.mcpResponse(request, false, "[{\"text\": \"a secret\"}]")))
                        .content()
                        .orElseThrow()
                        .text())
                .isEqualTo("[{\"text\":\"a ***\"}]");
    }

    @Test
    void blocksWhereThereIsNothingToReplace() {
        assertFails("http.request", "http.request.query", Events.http("GET", "a.b", "/"));
        assertFails("http.request", "http.request.header(\"x\")", Events.http("GET", "a.b", "/"));
        assertFails("http.request", "http.request.body.text", Events.http("GET", "a.b", "/"));
        assertFails(
                "http.request",
                "http.request.body.text",
                Events.http("POST", "a.b", "/", Body.of(new byte[] {'x', (byte) 0xff}, Optional.empty())));
        assertFails("mcp.request", "mcp.request.arguments.repo", Events.mcp("s", "t", "{\"a\": \"x\"}"));
        assertFails("mcp.request", "mcp.request.arguments", Events.mcp("s", "t", "{\"x\": 1}"));
        assertFails("mcp.request", "mcp.request.arguments", Events.mcp("s", "t", ""));
    }

    @Test
    void leavesAValidEventOrBlocks() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        List<String> values = List.of("", "/", "x", " ", "a\\r\\nb", "?", "#", "/a/../b", "%", "\\u0000", "/ok", "é");
        List<String> targets = List.of(
                "http.request.path", "http.request.query", "http.request.header(\"x\")", "http.request.body.text");
        for (String target : targets) {
            for (String value : values) {
                HttpRequest request =
                        Events.http("POST", "a.b", "/xx?x=x", Body.of("xx"), "x", "x" + random.nextInt(9));

                Evaluation evaluation = evaluate("http.request", target, "x", value, request);

                switch (evaluation.outcome()) {
                    case Evaluation.Blocked blocked ->
                        assertThat(blocked.cause()).isEqualTo(BlockCause.REWRITE_FAILED);
                    case Evaluation.Rewritten rewritten -> {
                        HttpRequest changed = (HttpRequest) rewritten.event();
                        assertThat(changed.path()).startsWith("/").doesNotContain("?", "#", " ", "\r", "\n");
                        assertThat(changed.headers().value("x").orElse("")).doesNotContain("\r", "\n", "\u0000");
                    }
                    default -> throw new AssertionError("seed " + seed + ": " + evaluation);
                }
            }
        }
    }

    @Test
    void oneSpellingOfAPatternWorksInTheConditionAndInTheTarget() {
        String rule = """
                [security.rules.http.it]
                on = "http.request"
                if = 'http.request.path.matches(r"^/v1\\.0/")'
                decision = "rewrite"
                rewrite_target = 'http.request.path =~ r"^/v1\\.0/"'
                rewrite_value = "/v2/"
                """;

        Evaluation evaluation = Events.engine(rule).evaluate(Events.http("GET", "a.b", "/v1.0/x"));

        assertThat(evaluation.outcome())
                .isInstanceOfSatisfying(
                        Evaluation.Rewritten.class,
                        rewritten -> assertThat(((HttpRequest) rewritten.event()).path())
                                .isEqualTo("/v2/x"));
    }

    @Test
    void aPatternWithTheEscapesOfAStringIsNamed() {
        Replacement.Parsed parsed = Replacement.parse("http.request.path =~ \"^/v1\\\\.0/\"", "/v2/");

        assertThat(parsed)
                .isInstanceOfSatisfying(
                        Replacement.Parsed.Refused.class,
                        refused -> assertThat(refused.reason()).contains("write one \\ where", "r\"...\""));
        assertThat(Replacement.parse("http.request.path =~ r\"a\\\\b\"", "x"))
                .as("a backslash itself")
                .isInstanceOf(Replacement.Parsed.Ok.class);
    }

    private static void assertFails(String on, String target, SecurityEvent event) {
        assertThat(evaluate(on, target, "x", "y", event).outcome())
                .as(target)
                .isEqualTo(new Evaluation.Blocked(BlockCause.REWRITE_FAILED));
    }

    private static SecurityEvent rewritten(
            String on, String target, String pattern, String value, SecurityEvent event) {
        Evaluation evaluation = evaluate(on, target, pattern, value, event);
        assertThat(evaluation.outcome()).as(String.valueOf(evaluation)).isInstanceOf(Evaluation.Rewritten.class);
        return ((Evaluation.Rewritten) evaluation.outcome()).event();
    }

    private static Evaluation evaluate(String on, String target, String pattern, String value, SecurityEvent event) {
        String more = "rewrite_target = '''" + target + " =~ \"" + pattern.replace("\\\\", "\\") + "\"'''\n"
                + "rewrite_value = \"" + value + "\"";
        String type = on.substring(0, on.indexOf('.'));
        return Events.engine(Events.only(type, on, "true", "rewrite", more)).evaluate(event);
    }
}
