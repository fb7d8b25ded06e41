package dev.capsem.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.e2e.Commands.Outcome;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/// Commands about rules, profiles, secrets and MCP servers, as a person uses them.
@Tag("e2e")
class RulesCliTest {
    private static final String GOOD = """
            [security.rules.process.no_curl]
            on = "process.exec"
            if = 'process.exec.executable == "curl"'
            decision = "block"
            priority = 10

            [[security.expect]]
            name = "curl is blocked"
            on = "process.exec"
            given.process.exec.command = "curl https://example.org"
            decision = "block"
            """;

    private static Installation installation;

    @BeforeAll
    static void start() {
        installation = Installation.start(Account.available().getFirst());
    }

    @AfterAll
    static void stop() {
        installation.close();
    }

    private static String file(String name, String text) throws IOException {
        Path file = installation.userDirectory().resolve(name);
        Files.writeString(file, text);
        installation.handOver(file);
        return file.toString();
    }

    private static JsonNode json(String... arguments) {
        String[] words = java.util.Arrays.copyOf(arguments, arguments.length + 1);
        words[arguments.length] = "--json";
        Outcome outcome = installation.capsem(words);
        assertThat(outcome.exitCode())
                .as("%s: %s", List.of(arguments), outcome.stderr())
                .isZero();
        return Installation.JSON.readTree(outcome.stdoutBytes());
    }

    private static String good(String... arguments) {
        Outcome outcome = installation.capsem(arguments);
        assertThat(outcome.exitCode())
                .as("%s: %s%s", List.of(arguments), outcome.stdout(), outcome.stderr())
                .isZero();
        return outcome.stdout();
    }

    @Test
    void rulesAreListedInTheOrderTheyAreAsked() {
        List<Integer> priorities = json("rules", "list")
                .path("rules")
                .valueStream()
                .map(rule -> rule.path("priority").asInt())
                .toList();

        assertThat(priorities).isNotEmpty().isSorted();
        assertThat(good("rules", "list")).contains("PRIORITY").contains("process.commands");
        assertThat(good("rules", "list", "--profile", "locked-down")).isNotEqualTo(good("rules", "list"));
    }

    @Test
    void mistakesArePointedAtAndExitCodesTell() throws IOException {
        String bad = file("bad.toml", GOOD.replace("process.exec.executable ==", "process.exec.exectable =="));

        Outcome outcome = installation.capsem("rules", "check", bad);

        assertThat(outcome.exitCode()).isEqualTo(1);
        assertThat(outcome.stdout())
                .contains("bad.toml:3:")
                .containsIgnoringCase("did you mean")
                .contains("process.exec.executable")
                .contains("│ if = 'process.exec.exectable")
                .containsPattern("│ +\\^");
        assertThat(good("rules", "check", file("good.toml", GOOD)))
                .contains("✓")
                .contains("1 rule");
        assertThat(installation.capsem("rules", "check", "/nowhere.toml").exitCode())
                .isEqualTo(2);
    }

    @Test
    void expectationsAreRun() throws IOException {
        assertThat(good("rules", "test", file("t.toml", GOOD)))
                .contains("✓ curl is blocked")
                .contains("1 passed");

        Outcome failed = installation.capsem(
                "rules",
                "test",
                file("t2.toml", GOOD.replace("decision = \"block\"\npriority", "decision = \"ask\"\npriority")));

        assertThat(failed.exitCode()).isEqualTo(1);
        assertThat(failed.stdout()).contains("✗ curl is blocked").contains("expected block, got ask");
    }

    @Test
    void aMadeUpEventIsExplained() throws IOException {
        String explained =
                good("rules", "explain", "--on", "process.exec", "--given", "process.exec.command=make", "--all");

        assertThat(explained).contains("allow by security.rules.process.commands");
        String event = file(
                "event.json",
                "{\"on\":\"http.request\",\"given\":{\"http\":{\"request\":{\"host\":\"169.254.169.254\"}}}}");
        assertThat(good("rules", "explain", event)).contains("block by security.rules.http.private_addresses");
    }

    @Test
    void aBlockedRunSaysWhatWouldAllowIt() throws IOException {
        good(
                "rules",
                "add",
                file(
                        "no_id.toml",
                        GOOD.replace("no_curl", "no_id")
                                .replace("\"curl\"", "\"id\"")
                                .replace("curl https://example.org", "id")));
        try {
            Outcome run = installation.capsem("run", "--", "id");

            assertThat(run.exitCode()).as("%s", run.stderr()).isEqualTo(126);
            assertThat(run.stdout()).isEmpty();
            assertThat(run.stderr())
                    .contains("capsem: ")
                    .contains("security.rules.process.no_id")
                    .contains("decision = \"allow\"");
        } finally {
            good("rules", "remove", "process.no_id");
        }
        assertThat(installation.capsem("run", "--", "id").exitCode()).isZero();
    }

    @Test
    void newRulesAreTriedOnWhatHappened() throws IOException {
        String id = good("create").strip();
        good("exec", id, "--", "curl", "--version");

        String report = good("rules", "backtest", file("b.toml", GOOD), id);

        assertThat(report).contains("process.no_curl").contains("1 event would match");
        good("delete", id);
    }

    @Test
    void profilesAreListedShownComparedAndChecked() throws IOException {
        assertThat(good("profiles", "list"))
                .contains("*  coding")
                .contains("locked-down")
                .contains("observe");
        assertThat(good("profiles", "show", "--effective", "locked-down")).contains("security.rules.");
        assertThat(good("profiles", "diff", "coding", "locked-down")).contains("security.rules.http.");
        Outcome bad = installation.capsem(
                "profiles", "validate", file("p.toml", "schema = \"capsem.profile.v2\"\nidd = \"x\"\n"));
        assertThat(bad.exitCode()).isEqualTo(1);
        assertThat(bad.stdout()).contains("p.toml:");
        good("profiles", "use", "locked-down");
        assertThat(json("profiles", "list").path("chosen").asString()).isEqualTo("locked-down");
        good("profiles", "use", "coding");
        assertThat(installation.capsem("profiles", "use", "nowhere").exitCode()).isEqualTo(125);
    }

    @Test
    void secretsAreKeptByNameAndNeverShown() {
        Outcome set = installation.capsem(
                "hunter2\n".getBytes(StandardCharsets.UTF_8),
                installation.userDirectory(),
                "secret",
                "set",
                "docs-token");

        assertThat(set.exitCode()).as("%s", set.stderr()).isZero();
        assertThat(good("secret", "list", "-q")).isEqualTo("docs-token\n");
        assertThat(json("secret", "list").toString()).doesNotContain("hunter2");
        good("secret", "rm", "docs-token");
        assertThat(good("secret", "list", "-q")).isEmpty();
    }

    @Test
    void publishedMcpServersAreAddedAndRemoved() throws IOException {
        String published = file(
                "servers.json",
                "{\"mcpServers\":{\"docs\":{\"url\":\"https://docs.example.com/mcp\",\"bearerToken\":\"${secret:docs}\"}}}");

        good("mcp", "add", published);
        assertThat(good("mcp", "list")).contains("docs").contains("https://docs.example.com/mcp");
        good("mcp", "remove", "docs");
        assertThat(installation.capsem("mcp", "list").stdout()).doesNotContain("docs.example.com");
    }

    @Test
    void reloadSaysHowManyTookIt() {
        assertThat(good("reload")).contains("reloaded");
    }
}
