package dev.capsem.security;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.events.security.Body;
import dev.capsem.events.security.Decision;
import dev.capsem.events.security.Evaluation;
import dev.capsem.events.security.Headers;
import dev.capsem.events.security.SecurityEvent;
import dev.capsem.events.security.SecurityEvent.HttpRequest;
import dev.capsem.events.security.SecurityEvent.McpRequest;
import java.util.List;
import org.junit.jupiter.api.Test;

/// The rules that the product's documents promise, word for word.
class SeedRulesTest {
    private static final String DOCUMENTED = """
            [security.rules.http.block_openai_github]
            on = "http.request"
            if = 'http.request.host == "github.com" && http.request.path.startsWith("/openai")'
            decision = "block"
            priority = 10

            [security.rules.http.strip_auth]
            on = "http.request"
            if = 'http.request.host == "api.example.com"'
            decision = "rewrite"
            priority = 20
            strip_request_headers = ["authorization", "x-api-key"]

            [security.rules.http.rest]
            on = "http.request"
            if = "true"
            decision = "allow"
            priority = 1000
            """;

    @Test
    void blocksAnOrganisationOnGithubAndNothingElse() {
        SecurityEngine engine = Events.engine(DOCUMENTED);

        assertThat(decide(engine, Events.http("GET", "github.com", "/openai/gpt")))
                .isEqualTo(Decision.BLOCK);
        assertThat(decide(engine, Events.http("GET", "github.com", "/%6fpenai/gpt")))
                .isEqualTo(Decision.BLOCK);
        assertThat(decide(engine, Events.http("GET", "github.com", "/a/../openai")))
                .isEqualTo(Decision.BLOCK);
        assertThat(decide(engine, Events.http("GET", "GitHub.com.", "/openai"))).isEqualTo(Decision.BLOCK);
        assertThat(decide(engine, Events.http("GET", "github.com", "/other"))).isEqualTo(Decision.ALLOW);
        assertThat(decide(engine, Events.http("GET", "github.org", "/openai"))).isEqualTo(Decision.ALLOW);
    }

    @Test
    void stripsHeadersAndLeavesTheRest() {
        HttpRequest request = Events.http(
                "GET", "api.example.com", "/", "Authorization", "Bearer s", "X-Api-Key", "k", "Accept", "*/*");

        Evaluation evaluation = Events.engine(DOCUMENTED).evaluate(request);

        assertThat(evaluation.outcome()).isInstanceOfSatisfying(Evaluation.Rewritten.class, rewritten -> {
            HttpRequest changed = (HttpRequest) rewritten.event();
            assertThat(changed.headers()).isEqualTo(Headers.of("accept", "*/*"));
            assertThat(rewritten.mutations()).hasSize(2);
        });
    }

    @Test
    void readsEveryPathTheDocumentsName() {
        assertThat(matches(
                        "http.request",
                        "http.request.header(\"authorization\").exists()",
                        Events.http("GET", "a.b", "/", "authorization", "x")))
                .isTrue();
        assertThat(matches(
                        "http.request",
                        "http.request.body.text.contains(\"secret\")",
                        Events.http("POST", "a.b", "/", Body.of("a secret b"))))
                .isTrue();
        assertThat(matches(
                        "http.request",
                        "http.request.url == \"https://a.b/c?d=e\"",
                        Events.http("GET", "a.b", "/c?d=e")))
                .isTrue();
        assertThat(matches(
                        "http.request",
                        "http.request.method in [\"POST\", \"DELETE\"]",
                        Events.http("DELETE", "a.b", "/")))
                .isTrue();
        assertThat(matches(
                        "http.response",
                        "http.response.status == 500",
                        Events.response(Events.http("GET", "a.b", "/"), 500, Body.NONE)))
                .isTrue();
        assertThat(matches(
                        "mcp.request",
                        "mcp.request.server_name == \"github\" && mcp.request.tool_name == \"search\"",
                        Events.mcp("github", "search", "{}")))
                .isTrue();
        assertThat(matches(
                        "mcp.request",
                        "mcp.request.arguments.repo == \"prod\"",
                        Events.mcp("github", "search", "{\"repo\": \"prod\"}")))
                .isTrue();
        assertThat(matches(
                        "mcp.request",
                        "mcp.request.arguments.contains(\"prod\")",
                        Events.mcp("github", "search", "{\"a\": [{\"b\": \"\\u0070rod-token\"}]}")))
                .isTrue();
        assertThat(matches(
                        "mcp.response",
                        "mcp.response.result_status == \"ok\" && mcp.response.content.contains(\"key\")",
                        Events.mcpResponse(Events.mcp("a", "b", ""), false, "[{\"text\": \"a key\"}]")))
                .isTrue();
        assertThat(matches(
                        "dns.request", "dns.request.qname.endsWith(\".evil.example\")", Events.dns("a.EVIL.example.")))
                .isTrue();
        assertThat(matches(
                        "model.request",
                        "model.request.provider == \"openai\" && model.request.model == \"x\"",
                        Events.model("openai", "x")))
                .isTrue();
        assertThat(matches("process.exec", "process.exec.command_class == \"network\"", Events.exec("curl http://a")))
                .isTrue();
    }

    /// `_meta` reaches the server beside the arguments: a rule against a text must not be dodged by it.
    @Test
    void aSearchInArgumentsLooksIntoMetaAsWell() {
        SecurityEvent leaking = Events.mcp("github", "search", "{\"q\": \"x\"}", "{\"leak\": \"prod-token\"}");
        SecurityEvent bare = Events.mcp("github", "search", "", "{\"leak\": \"prod-token\"}");
        SecurityEvent honest = Events.mcp("github", "search", "{\"q\": \"x\"}", "{\"trace\": \"1\"}");
        SecurityEvent plain = Events.mcp("github", "search", "{\"q\": \"x\"}");

        for (String condition : List.of(
                "mcp.request.arguments.contains(\"prod-token\")",
                "mcp.request.arguments_text.contains(\"prod-token\")",
                "mcp.request.arguments.matches(\"prod-t.ken\")",
                "mcp.request.meta.contains(\"prod-token\")",
                "mcp.request.meta.leak == \"prod-token\"")) {
            assertThat(matches("mcp.request", condition, leaking)).as(condition).isTrue();
            assertThat(matches("mcp.request", condition, bare)).as(condition).isTrue();
            assertThat(matches("mcp.request", condition, honest)).as(condition).isFalse();
            assertThat(matches("mcp.request", condition, plain)).as(condition).isFalse();
        }
        String without = "!mcp.request.arguments.contains(\"prod-token\")";
        assertThat(matches("mcp.request", without, leaking)).isFalse();
        assertThat(matches("mcp.request", without, plain)).isTrue();
        assertThat(matches("mcp.response", without, Events.mcpResponse((McpRequest) leaking, false, "{}")))
                .isFalse();
    }

    private static boolean matches(String on, String condition, SecurityEvent event) {
        String type = on.substring(0, on.indexOf('.'));
        return decide(Events.engine(Events.only(type, on, condition, "block", "")), event) == Decision.BLOCK;
    }

    private static Decision decide(SecurityEngine engine, SecurityEvent event) {
        return engine.evaluate(event).decision();
    }
}
