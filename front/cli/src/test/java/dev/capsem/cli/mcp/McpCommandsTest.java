package dev.capsem.cli.mcp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.cli.CliHarness;
import dev.capsem.cli.CliHarness.Outcome;
import dev.capsem.client.io.ServiceCallException;
import dev.capsem.testkit.service.FakeService;
import dev.capsem.wire.json.Json;
import dev.capsem.wire.service.ServiceError;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
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

    @Test
    void aProgramThatMayDoNothingIsNotAdded() {
        Outcome outcome = add("{\"echo\":{\"command\":\"npx\"}}");

        assertThat(outcome.exitCode()).isEqualTo(2);
        assertThat(outcome.err())
                .contains("echo is a program, and nothing says what it may do")
                .contains("--allow 'exec:spawn:npx'");
        assertThat(service.calls).isEmpty();
        assertThat(add("{\"echo\":{\"command\":\"npx\",\"disabled\":true}}").exitCode())
                .isZero();
    }

    @Test
    void addingAgainSaysHowToReplace() {
        service.refusal = Optional.of(new ServiceCallException(
                409, new ServiceError("server_exists: mcpServers.docs", "server_exists", "docs/profiles.md")));

        Outcome outcome = add("{\"docs\":{\"url\":\"https://a/\"}}");

        assertThat(outcome.exitCode()).isEqualTo(125);
        assertThat(outcome.err()).contains("there is a server docs already").contains("`capsem mcp remove docs && ");
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

    // --- tools --------------------------------------------------------------------------------------------------

    private static final String TOOLS = """
            {"servers":[
              {"name":"docs","connected":true,"enabled":true,"tool_count":2,"resource_count":1,"prompt_count":0},
              {"name":"gone","connected":false,"enabled":true,"error":"refused the connection"},
              {"name":"unused","connected":false,"enabled":false}],
             "tools":[
              {"name":"docs__read","server_name":"docs","description":"Reads a page.\\nAll of it.","state":"approved","diff":[]},
              {"name":"docs__search","server_name":"docs","description":"Searches\\u001b[31m.","state":"changed",
               "diff":["- description: \\"Searches.\\"","+ description: \\"Searches ⟨U+001B⟩\\""],"reason":"changed since it was approved"}]}
            """;

    @Test
    void toolsSayWhichOnesWait() {
        service.answers.put("GET /mcp/tools/box", TOOLS);

        Outcome outcome = cli.run("mcp", "tools", "box");

        assertThat(outcome.out()).isEqualTo("""
                TOOL          STATE     DESCRIPTION
                docs__read    approved  Reads a page.
                docs__search  changed   Searches\\x1b[31m.
                """);
        assertThat(outcome.err()).isEqualTo("! gone: refused the connection\n");
        assertThat(Json.parse(cli.run("mcp", "tools", "box", "--json").out())).isEqualTo(Json.parse(TOOLS));
    }

    @Test
    void toolsOfOneServerAreAskedForByName() {
        service.answers.put("GET /mcp/tools/box?server=docs", TOOLS);

        assertThat(cli.run("mcp", "tools", "box", "--server", "docs").exitCode())
                .isZero();
    }

    @Test
    void diffShowsWhatChanged() {
        service.answers.put("GET /mcp/tools/box", TOOLS);

        assertThat(cli.run("mcp", "diff", "box").out()).isEqualTo("""
                docs__search  changed  changed since it was approved
                  - description: "Searches."
                  + description: "Searches ⟨U+001B⟩"
                """);
        assertThat(cli.run("mcp", "diff", "box", "docs__read").out()).isEqualTo("docs__read  approved\n");
    }

    @Test
    void approveNamesToolsOrSaysAll() {
        service.answers.put("POST /mcp/tools/box/approve", TOOLS);

        assertThat(cli.run("mcp", "approve", "box").exitCode()).isEqualTo(2);
        assertThat(cli.run("mcp", "approve", "box", "docs__search", "--all").exitCode())
                .isEqualTo(2);
        assertThat(cli.run("mcp", "approve", "box", "docs__search").out()).isEqualTo("approved docs__search\n");
        assertThat(cli.run("mcp", "approve", "box", "--all").out()).isEqualTo("approved all tools\n");
        assertThat(service.bodies.stream().map(Json::text))
                .containsExactly("{\"tools\":[\"docs__search\"]}", "{\"all\":true}");
    }

    @Test
    void testConnectsFromASandboxOfItsOwnAndSaysWhoDoesNotAnswer() {
        service.answers.put("GET /mcp/tools/brave-otter-tmp", TOOLS);

        Outcome outcome = cli.run("mcp", "test");

        assertThat(outcome.exitCode()).isEqualTo(1);
        assertThat(outcome.out()).isEqualTo("""
                SERVER  STATE          TOOLS  RESOURCES  PROMPTS
                docs    connected          2          1        0
                gone    not connected      0          0        0
                unused  off                0          0        0
                """);
        assertThat(outcome.err()).contains("! gone: refused the connection\n");
        assertThat(service.calls)
                .containsExactly(
                        "provision brave-otter-tmp", "GET /mcp/tools/brave-otter-tmp", "delete brave-otter-tmp");
    }

    @Test
    void testOfARunningSandboxLeavesItAlone() {
        service.answers.put("GET /mcp/tools/box?server=docs", TOOLS);

        cli.run("mcp", "test", "docs", "--in", "box");

        assertThat(service.calls).containsExactly("GET /mcp/tools/box?server=docs");
    }

    @Test
    @Timeout(60)
    void testWaitsForAProgramThatIsStillStarting() {
        String ask = "GET /mcp/tools/box?server=slow";
        service.answers.put(
                ask,
                "{\"servers\":[{\"name\":\"slow\",\"connected\":false,\"error\":\"not connected yet\"}],\"tools\":[]}");
        Thread.ofVirtual().start(() -> {
            while (service.calls.size() < 2) {
                Thread.onSpinWait();
            }
            service.answers.put(ask, "{\"servers\":[{\"name\":\"slow\",\"connected\":true}],\"tools\":[]}");
        });

        Outcome outcome = cli.run("mcp", "test", "slow", "--in", "box");

        assertThat(outcome.exitCode()).isZero();
        assertThat(outcome.out()).contains("slow    connected");
    }

    @Test
    void testOfAServerThatIsOffSaysNo() {
        service.answers.put(
                "GET /mcp/tools/box?server=unused",
                "{\"servers\":[{\"name\":\"unused\",\"enabled\":false,\"connected\":false,\"error\":\"disabled\"}],"
                        + "\"tools\":[]}");

        Outcome outcome = cli.run("mcp", "test", "unused", "--in", "box");

        assertThat(outcome.exitCode()).isEqualTo(1);
        assertThat(outcome.err()).contains("! unused: disabled\n");
    }

    @Test
    void testShowsHowAProgramEndedAndWhatItWasRefused() {
        service.answers.put("GET /mcp/tools/box", """
                {"servers":[{"name":"near","enabled":true,"connected":false,"is_stdio":true,
                 "error":"the server closed the connection","ended":"exit code 3",
                 "log":["Error: ENOENT, open '/srv/key'","\\u001b[31mbye"],
                 "refused":["net:connect:api.example.com:443","fs:read:/srv/key"]}],"tools":[]}
                """);

        Outcome outcome = cli.run("mcp", "test", "--in", "box", "--learn");

        assertThat(outcome.exitCode()).isEqualTo(1);
        assertThat(outcome.err())
                .contains("! near: the server closed the connection (exit code 3)\n")
                .contains("    Error: ENOENT, open '/srv/key'\n")
                .doesNotContain("\u001b[31mbye")
                .contains("capsem mcp add FILE --name near --allow");
        assertThat(outcome.out())
                .endsWith("near was refused:\n  --allow net:connect:api.example.com:443\n  --allow fs:read:/srv/key\n");
    }
}
