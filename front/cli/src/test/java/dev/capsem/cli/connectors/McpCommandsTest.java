package dev.capsem.cli.connectors;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.cli.CliHarness;
import dev.capsem.cli.CliHarness.Outcome;
import dev.capsem.cli.FakeService;
import dev.capsem.wire.json.Json;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class McpCommandsTest {
    private final CliHarness cli = new CliHarness();
    private final FakeService service = cli.service;

    private Outcome add(String json, String... more) {
        cli.stdin = json.getBytes(StandardCharsets.UTF_8);
        service.answers.put("POST /mcp/connectors", "{\"id\":\"docs\"}");
        String[] words = new String[3 + more.length];
        words[0] = "mcp";
        words[1] = "add";
        words[2] = "-";
        System.arraycopy(more, 0, words, 3, more.length);
        return cli.run(words);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"mcpServers\":{\"docs\":{\"url\":\"https://a/\"}}}",
                "{\"servers\":{\"docs\":{\"url\":\"https://a/\"}}}",
                "{\"docs\":{\"url\":\"https://a/\"}}"
            })
    void takesTheShapesThatServersPublish(String json) {
        assertThat(add(json).exitCode()).isZero();
        assertThat(Json.text(service.bodies.getFirst())).isEqualTo("{\"id\":\"docs\",\"url\":\"https://a/\"}");
    }

    @Test
    void oneEntryAloneNeedsAName() {
        assertThat(add("{\"url\":\"https://a/\"}").err()).contains("--name");
        assertThat(add("{\"url\":\"https://a/\"}", "--name", "docs").exitCode()).isZero();
        assertThat(service.bodies).hasSize(1);
    }

    @Test
    void capabilitiesAndToolsAreAdded() {
        add("{\"gh\":{\"command\":\"gh-mcp\"}}", "--allow", "net:connect:a:443", "--tool", "read");

        assertThat(Json.text(service.bodies.getFirst()))
                .isEqualTo("{\"id\":\"gh\",\"command\":\"gh-mcp\",\"capsem\":"
                        + "{\"capabilities\":[\"net:connect:a:443\"],\"allowed_tools\":[\"read\"]}}");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"gh\":{\"command\":\"x\",\"env\":{\"GITHUB_TOKEN\":\"ghp_abc\"}}}",
                "{\"gh\":{\"url\":\"https://a/\",\"headers\":{\"Authorization\":\"Bearer abc\"}}}",
                "{\"gh\":{\"url\":\"https://a/\",\"bearerToken\":\"abc\"}}"
            })
    void aPlainCredentialIsRefusedAndNotShown(String json) {
        Outcome outcome = add(json);

        assertThat(outcome.exitCode()).isEqualTo(2);
        assertThat(outcome.err()).contains("capsem secret set gh-token").doesNotContain("abc");
        assertThat(service.calls).isEmpty();
    }

    @Test
    void aReferenceToASecretIsFine() {
        assertThat(add("{\"gh\":{\"url\":\"https://a/\",\"headers\":{\"Authorization\":\"Bearer ${secret:gh}\"}}}")
                        .exitCode())
                .isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "[]", "{}", "{\"mcpServers\":{\"a\":{}}}", "{\"a\":1}"})
    void whatIsNoServerIsAUsageMistake(String json) {
        assertThat(add(json).exitCode()).isEqualTo(2);
        assertThat(service.calls).isEmpty();
    }

    @Test
    void listSaysWhatCannotStart() {
        service.answers.put("GET /mcp/connectors", """
                {"profile_id":"coding","servers":[
                 {"id":"docs","source":"user","editable":true,"server":{"type":"http","url":"https://a/","capsem":{"enabled":true}}},
                 {"id":"gh","source":"imported","server":{"type":"stdio","command":"gh","obstacle":"it says no capabilities",
                  "capsem":{"enabled":true}}}]}
                """);

        Outcome outcome = cli.run("mcp", "list");

        assertThat(outcome.out()).isEqualTo("""
                NAME  STATE         TYPE   FROM      WHERE
                docs  on            http   user      https://a/
                gh    cannot start  stdio  imported  gh
                """);
        assertThat(outcome.err()).isEqualTo("! gh: it says no capabilities\n");
    }

    @Test
    void removeNamesWhatIsGone() {
        service.answers.put("DELETE /mcp/connectors/docs", "{\"removed\":true}");

        assertThat(cli.run("mcp", "rm", "docs").out()).isEqualTo("removed docs\n");
    }
}
