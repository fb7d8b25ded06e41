package dev.capsem.cli.rules;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.cli.CliHarness;
import dev.capsem.cli.CliHarness.Outcome;
import dev.capsem.cli.Golden;
import dev.capsem.testkit.service.FakeService;
import dev.capsem.wire.json.Json;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

class RulesCommandsTest {
    private static final String LISTED = """
            {"profile_id":"coding","profile_revision":"ab12","warnings":["security.rules.http.old never decides"],"rules":[
            {"id":"security.rules.http.no_paste_sites","callback":"http.request","decision":"block","priority":-100,
             "match_count":3,"provenance":{"profile_id":"acme","source":"corp","path":"/etc/capsem/corp/acme.toml","locked":true}},
            {"id":"security.rules.process.no_curl","callback":"process.exec","decision":"ask","priority":10,
             "match_count":0,"provenance":{"profile_id":"coding","source":"user","path":"/home/me/.capsem/profiles/coding.toml"}}]}
            """;

    private static final String EXPLAINED = """
            {"event":{"type":"process.exec","subject":"curl https://example.org","at":"2026-01-31T12:00:00Z"},
             "decision":"block","outcome":"block","rule":"security.rules.process.no_curl","reason":"no network tools",
             "file":"/home/me/.capsem/profiles/coding.toml","line":12,
             "considered":[
              {"rule":"security.rules.process.make","decision":"allow","priority":5,"match":"almost",
               "why":"process.exec.executable == \\"make\\" is not true","file":"coding.toml","line":3},
              {"rule":"security.rules.process.other","decision":"block","priority":6,"match":"not_matched","why":"no"},
              {"rule":"security.rules.process.no_curl","decision":"block","priority":10,"match":"matched","why":""}],
             "suggestion":{"toml":"[security.rules.process.allow_curl]\\non = \\"process.exec\\"\\n",
              "file":"/home/me/.capsem/profiles/coding.toml","note":""}}
            """;

    @TempDir
    Path directory;

    private final CliHarness cli = new CliHarness();
    private final FakeService service = cli.service;

    @BeforeEach
    void inADirectory() {
        cli.directory = directory;
    }

    private void file(String name, String text) throws IOException {
        Files.writeString(directory.resolve(name), text);
    }

    @Test
    void listShowsRulesInTheOrderTheyAreAsked() {
        service.answers.put("GET /rules", LISTED);

        Outcome outcome = cli.run("rules", "list");

        Golden.check("rules-list.txt", outcome.out() + outcome.err());
    }

    @Test
    void listFitsTheScreen() {
        service.answers.put("GET /rules", LISTED);
        cli.environment.put("COLUMNS", "64");

        Outcome outcome = cli.run("rules", "list");

        assertThat(outcome.out().lines())
                .allSatisfy(line -> assertThat(line.length()).isLessThanOrEqualTo(64));
        assertThat(outcome.out())
                .contains("http.no_paste_sites")
                .contains("block")
                .contains("ask");
    }

    @Test
    void listTakesASandboxOrAProfileAndNotBoth() {
        service.answers.put("GET /rules?sandbox=a%20b", LISTED);
        service.answers.put("GET /rules?profile=observe", LISTED);

        assertThat(cli.run("rules", "list", "--sandbox", "a b").out())
                .contains("MATCHES")
                .contains("  3\n");
        assertThat(cli.run("rules", "list", "--profile", "observe").exitCode()).isZero();
        assertThat(cli.run("rules", "list", "--profile", "a", "--sandbox", "b").exitCode())
                .isEqualTo(2);
        assertThat(cli.run("rules", "list", "--on", "process.exec", "--profile", "observe")
                        .out())
                .doesNotContain("no_paste_sites");
    }

    @Test
    void checkPointsAtTheMistake() throws IOException {
        file("my.toml", "[security.rules.http.x]\non = \"http.request\"\nif = 'http.request.hots == \"a\"'\n");
        service.answers.put("POST /rules/check", """
                {"ok":false,"rules":0,"problems":[{"file":"my.toml","line":3,"column":20,
                 "message":"there is no field http.request.hots","suggestion":"http.request.host"}],
                 "warnings":[{"file":"my.toml","line":1,"column":1,"message":"it never decides"}]}
                """);

        Outcome outcome = cli.run("rules", "check", "my.toml");

        assertThat(outcome.exitCode()).isEqualTo(1);
        Golden.check("rules-check.txt", outcome.out());
        assertThat(service.bodies.getFirst().path("text").asString()).startsWith("[security.rules.http.x]");
    }

    @Test
    void checkIsContentWithAGoodFile() throws IOException {
        file("good.toml", "");
        service.answers.put("POST /rules/check", "{\"ok\":true,\"rules\":2,\"problems\":[],\"warnings\":[]}");

        assertThat(cli.run("rules", "check", "good.toml")).isEqualTo(new Outcome(0, "✓ good.toml: 2 rules\n", ""));
        assertThat(cli.run("rules", "check", "good.toml", "-q").out()).isEmpty();
    }

    @Test
    void aFileThatIsNotThereIsAUsageMistake() {
        assertThat(cli.run("rules", "check", "nope.toml").exitCode()).isEqualTo(2);
        assertThat(cli.run("rules", "check").exitCode()).isEqualTo(2);
        assertThat(service.calls).isEmpty();
    }

    @Test
    void testTellsWhatCameOutInstead() throws IOException {
        file("my.toml", "x");
        service.answers.put("POST /rules/test", """
                {"ok":false,"passed":1,"failed":1,"problems":[],"cases":[
                 {"name":"reads are fine","line":7,"ok":true,"expected":"allow","actual":"allow"},
                 {"name":"","line":12,"ok":false,"expected":"block","actual":"ask","rule":"security.rules.http.rest"}]}
                """);

        Outcome outcome = cli.run("rules", "test", "my.toml");

        assertThat(outcome.exitCode()).isEqualTo(1);
        assertThat(outcome.out()).isEqualTo("""
                my.toml
                  ✓ reads are fine
                  ✗ line 12
                      expected block, got ask by security.rules.http.rest
                1 passed, 1 failed
                """);
    }

    @Test
    void whyNamesTheRuleTheNearMissAndTheWayOut() {
        service.answers.put("POST /rules/explain", EXPLAINED);

        Outcome outcome = cli.run("rules", "why", "lab");

        Golden.check("rules-why.txt", outcome.out());
        assertThat(Json.text(service.bodies.getFirst())).isEqualTo("{\"sandbox\":\"lab\"}");
        assertThat(cli.run("rules", "why", "lab", "--all").out()).contains("process.other");
    }

    @Test
    void whyGivesTheRuleAloneForAPipe() {
        service.answers.put("POST /rules/explain", EXPLAINED);

        assertThat(cli.run("rules", "why", "--toml", "lab", "e1").out())
                .isEqualTo("[security.rules.process.allow_curl]\non = \"process.exec\"\n");
        assertThat(Json.text(service.bodies.getFirst())).isEqualTo("{\"sandbox\":\"lab\",\"event_id\":\"e1\"}");
    }

    @Test
    void whySaysWhenNoRuleOfOnesOwnHelps() {
        service.answers.put("POST /rules/explain", """
                {"event":{"type":"http.request","subject":"GET https://a/"},"decision":"block","considered":[],
                 "suggestion":{"toml":"","file":"","note":"security.rules.http.corp outranks every user rule"}}
                """);

        assertThat(cli.run("rules", "why", "lab").out()).contains("It cannot be allowed by a rule of yours: security");
        assertThat(cli.run("rules", "why", "--toml", "lab").exitCode()).isEqualTo(125);
    }

    @Test
    void explainPutsAnEventTogether() {
        service.answers.put("POST /rules/explain", EXPLAINED);

        cli.run(
                "rules",
                "explain",
                "--on",
                "http.request",
                "--given",
                "http.request.host=a=b",
                "--given",
                "http.request.port:=8080");

        assertThat(Json.text(service.bodies.getFirst()))
                .isEqualTo(
                        "{\"on\":\"http.request\",\"given\":{\"http\":{\"request\":{\"host\":\"a=b\",\"port\":8080}}}}");
    }

    @Test
    void explainTakesAFile() throws IOException {
        file("e.json", "{\"on\":\"dns.request\",\"given\":{\"dns\":{\"request\":{\"qname\":\"a.b\"}}}}");
        service.answers.put("POST /rules/explain", EXPLAINED);

        assertThat(cli.run("rules", "explain", "e.json", "--profile", "observe").exitCode())
                .isZero();
        assertThat(service.bodies.getFirst().path("profile").asString()).isEqualTo("observe");
    }

    @Test
    void explainWithoutAnEventIsAUsageMistake() {
        assertThat(cli.run("rules", "explain").exitCode()).isEqualTo(2);
        assertThat(cli.run("rules", "explain", "--on", "x", "--given", "nothing")
                        .exitCode())
                .isEqualTo(2);
        assertThat(cli.run("rules", "explain", "--on", "x", "--given", "a:={").exitCode())
                .isEqualTo(2);
        assertThat(cli.run("rules", "explain", "--on", "x", "--given", "a=1", "--given", "a.b=1")
                        .exitCode())
                .isEqualTo(2);
    }

    @Test
    void addTakesRulesFromStdin() {
        cli.stdin = "[security.rules.http.x]\non = \"http.request\"\nif = 'true'\npriority = 3\n"
                .getBytes(StandardCharsets.UTF_8);
        service.answers.put("POST /rules/check", "{\"ok\":true,\"rules\":1}");
        service.answers.put("GET /rules", LISTED);
        service.answers.put("POST /rules", "{\"id\":\"security.rules.http.x\"}");

        assertThat(cli.run("rules", "add", "-")).isEqualTo(new Outcome(0, "added security.rules.http.x\n", ""));
        assertThat(Json.text(service.bodies.getLast()))
                .isEqualTo("{\"id\":\"security.rules.http.x\",\"rule\":"
                        + "{\"on\":\"http.request\",\"if\":\"true\",\"priority\":3}}");
    }

    @Test
    void addAddsNothingWhenANameIsTaken() {
        cli.stdin = "[security.rules.http.x]\non = 'a'\n[security.rules.process.no_curl]\non = 'b'\n"
                .getBytes(StandardCharsets.UTF_8);
        service.answers.put("POST /rules/check", "{\"ok\":true,\"rules\":2}");
        service.answers.put("GET /rules", LISTED);

        Outcome outcome = cli.run("rules", "add", "-");

        assertThat(outcome.exitCode()).isEqualTo(125);
        assertThat(outcome.err()).contains("[rule_exists]").contains("capsem rules remove process.no_curl");
        assertThat(service.calls).doesNotContain("POST /rules");
    }

    @Test
    void addAddsNothingWhenSomethingIsWrong() throws IOException {
        file("bad.toml", "if = 1\n");
        service.answers.put(
                "POST /rules/check",
                "{\"ok\":false,\"problems\":[{\"file\":\"bad.toml\",\"line\":1,\"column\":6,\"message\":\"not text\"}]}");

        Outcome outcome = cli.run("rules", "add", "bad.toml");

        assertThat(outcome.exitCode()).isEqualTo(1);
        assertThat(outcome.out()).contains("bad.toml:1:6: not text").contains("│      ^");
        assertThat(service.calls).containsExactly("POST /rules/check");
    }

    @Test
    void removeTakesShortIds() {
        service.answers.put(
                "DELETE /rules/security.rules.http.x", "{\"id\":\"security.rules.http.x\",\"removed\":true}");

        assertThat(cli.run("rules", "remove", "http.x").out()).isEqualTo("removed security.rules.http.x\n");
        assertThat(cli.run("rules", "remove", "security.rules.http.x").exitCode())
                .isZero();
    }

    @Test
    void backtestShowsWhatEachRuleMatches() throws IOException {
        file("my.toml", "[security.rules.process.ask_curl]\non = \"process.exec\"\nif = 'true'\ndecision = \"ask\"\n");
        service.answers.put("POST /rules/check", "{\"ok\":true,\"rules\":1}");
        service.answers.put("POST /enforcement/backtest", """
                {"total_matches":3,"unique_evidence_matches":1,"truncated":false,"rows":[
                 {"rule_id":"process.ask_curl","matched_fields":[{"path":"process.exec.command","value":"curl a"}]}]}
                """);

        assertThat(cli.run("rules", "backtest", "my.toml", "lab").out()).isEqualTo("""
                RULE              DECISION  WHAT
                process.ask_curl  ask       process.exec: process.exec.command = curl a
                3 events would match
                """);
        assertThat(service.bodies.getLast().path("sandbox").asString()).isEqualTo("lab");
    }

    @Test
    void backtestSendsTheListsBesideTheFileAndTheZone() throws IOException {
        file("bad.txt", "b.example\n");
        file("my.toml", """
                [security.rules.dns.bad]
                on = "dns.request"
                if = 'dns.request.qname in list("bad.txt") && now.hour < 6'
                zone = "Europe/Berlin"
                decision = "block"
                """);
        service.answers.put("POST /rules/check", "{\"ok\":true,\"rules\":1}");
        service.answers.put("POST /enforcement/backtest", "{\"total_matches\":0,\"rows\":[]}");

        assertThat(cli.run("rules", "backtest", "my.toml", "lab").exitCode()).isZero();

        JsonNode sent = service.bodies.getLast();
        assertThat(sent.path("lists").toString()).isEqualTo("{\"bad.txt\":\"b.example\\n\"}");
        assertThat(sent.path("rule").path("zone").asString()).isEqualTo("Europe/Berlin");
    }

    @Test
    void aFamilyListsItsCommands() {
        assertThat(cli.run("rules").out())
                .contains("Usage: capsem rules COMMAND")
                .contains("  why ");
        assertThat(cli.run("rules", "--help")).isEqualTo(cli.run("rules"));
        assertThat(cli.run("rules", "chek").err()).contains("did you mean `capsem rules check`?");
        assertThat(cli.run("rule").err()).contains("did you mean `capsem rules`?");
    }
}
