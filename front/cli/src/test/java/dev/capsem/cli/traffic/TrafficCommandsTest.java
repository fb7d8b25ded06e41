package dev.capsem.cli.traffic;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.cli.CliHarness;
import dev.capsem.cli.CliHarness.Outcome;
import dev.capsem.cli.screen.Ink;
import dev.capsem.cli.screen.Screen.Terminals;
import dev.capsem.client.LiveFeed.Happening;
import dev.capsem.testkit.service.FakeService;
import dev.capsem.wire.json.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

class TrafficCommandsTest {
    private static final String ALLOWED = """
            {"event":{"final_action":"continue"},"rows":[{"table":"net_events","timestamp":"2026-01-31T12:00:01.5Z",
             "domain":"example.com","port":443,"decision":"allowed","method":"GET","path":"/a\\u001b[2J","status_code":200,
             "bytes_sent":0,"bytes_received":2048,"duration_ms":31,"conn_type":"https","policy_action":"allow",
             "policy_rule":"security.rules.http.web"}]}""";
    private static final String BLOCKED = """
            {"event":{"final_action":"block"},"rows":[{"table":"net_events","timestamp":"2026-01-31T12:00:02Z",
             "domain":"evil.example","port":8443,"decision":"denied","method":"POST","path":"/","status_code":403,
             "bytes_sent":10,"bytes_received":0,"duration_ms":2,"conn_type":"https","policy_action":"block",
             "policy_rule":"security.rules.http.no_uploads"}]}""";
    private static final String QUESTION = """
            {"event":{},"rows":[{"table":"dns_events","timestamp":"2026-01-31T12:00:03Z","qname":"evil.example","rcode":3,
             "decision":"denied","upstream_resolver_ms":0}]}""";
    private static final String TURN = """
            {"event":{},"rows":[{"table":"model_calls","timestamp":"2026-01-31T12:00:04Z","provider":"anthropic",
             "model":"claude-x","status_code":200,"input_tokens":100,"output_tokens":20,"duration_ms":900,
             "estimated_cost_usd":0.0123}]}""";

    private final CliHarness cli = new CliHarness();

    @TempDir
    private Path directory = Path.of("replaced by JUnit");

    private void happens(String kind, String json) {
        cli.service.happenings.add(new Happening(kind, Json.parse(json)));
    }

    @Test
    void tailPrintsOneLineForEachExchange() {
        happens("http", ALLOWED);
        happens("file", "{\"event\":{},\"rows\":[{\"table\":\"fs_events\"}]}");
        happens("http", BLOCKED);
        happens("dns", QUESTION);
        happens("model", TURN);
        happens("model", "{\"event\":{},\"rows\":[]}");
        happens("lost", "{\"count\":7}");
        happens("sandbox", "{\"sandbox\":\"lab\",\"change\":\"stopped\"}");

        Outcome outcome = cli.run("net", "tail", "lab");

        assertThat(outcome.exitCode()).isZero();
        assertThat(outcome.out()).isEqualTo("""
                        12:00:01 allow   GET     example.com/a\\x1b[2J                             200        2.0 KiB     31 ms  http.web
                        12:00:02 block   POST    evil.example:8443/                               403           10 B      2 ms  http.no_uploads
                        12:00:03 block   DNS     evil.example                                     NXDOMAIN                0 ms
                        12:00:04 allow   MODEL   anthropic claude-x                               200      100→20 tok    900 ms  $0.0123
                        """);
        assertThat(outcome.err()).contains("7 events came too fast").contains("lab stopped");
    }

    @Test
    void tailOfASandboxThatEndedDoesNotWait() {
        cli.service.sandboxes.add(FakeService.sandbox("old", "Stopped"));

        Outcome outcome = cli.run("net", "tail", "old");

        assertThat(outcome.exitCode()).isEqualTo(125);
        assertThat(outcome.err()).isEqualTo("""
                capsem: old is stopped: nothing happens in it [not_running]
                  → start it: `capsem resume old`, or see what it did: `capsem timeline old`
                """);
    }

    @Test
    void tailFitsTheTerminal() {
        Ink plain = new Ink(false);
        JsonNode blocked = Json.parse(BLOCKED);

        for (int columns : List.of(60, 80, 100, 110, 120)) {
            String line = new TrafficLine(plain, columns).of(blocked).orElseThrow();
            assertThat(line.length()).as("%d columns", columns).isLessThanOrEqualTo(columns);
        }
        assertThat(new TrafficLine(plain, 110).of(blocked).orElseThrow()).endsWith("http.no_uploads");
    }

    @Test
    void costOfAllSandboxes() {
        cli.service.answers.put("GET /cost?by=sandbox", """
                {"by":"sandbox","rows":[
                  {"key":"lab","calls":2,"input_tokens":110,"output_tokens":22,"cache_read_tokens":40,"cost_usd":0.75,
                   "known_cost_usd":0.75,"unknown_calls":0,"duration_ms":1000}],
                 "total":{"calls":2,"input_tokens":110,"output_tokens":22,"cache_read_tokens":40,"cost_usd":0.75,
                   "known_cost_usd":0.75,"unknown_calls":0,"duration_ms":1000}}""");

        assertThat(cli.run("cost").out()).contains("SANDBOX").contains("lab").contains("$0.7500");
        assertThat(cli.run("cost").err()).isEmpty();
        cli.service.answers.put("GET /budgets", """
                {"budgets":[{"name":"daily","window":"day","unit":"usd","limit_now":20000000,"left":19250000,
                  "spent_text":"$0.75","limit_text":"$20.00","left_text":"$19.25"},
                 {"name":"own","sandbox":"lab","window":"session","unit":"requests","limit_now":5,"left":0,
                  "spent_text":"5 requests","limit_text":"5 requests","left_text":"0 requests"}]}""");
        assertThat(cli.run("cost").err()).isEqualTo("""
                        budget daily: $0.75 of $20.00 spent, $19.25 left, per day
                        budget own of lab: 5 requests of 5 requests spent, 0 requests left, per session
                        """);
        assertThat(Json.parse(cli.run("cost", "--json").out()).path("budgets").size())
                .isEqualTo(2);
        assertThat(cli.run("status").out()).contains("2, nothing left of own of lab");
        assertThat(cli.run("cost", "--by", "trace").exitCode()).isEqualTo(2);
    }

    @Test
    void tailColoursDecisions() {
        cli.terminals = new Terminals(false, true, false);
        happens("http", BLOCKED);

        assertThat(cli.run("net", "tail", "lab").out()).contains("\u001b[31mblock\u001b[0m   POST");
    }

    @Test
    void tailAsJsonIsOneDocumentForEachLine() {
        happens("http", ALLOWED);
        happens("dns", QUESTION);

        Outcome outcome = cli.run("net", "tail", "lab", "--json");

        assertThat(outcome.out().lines().map(Json::parse)).containsExactly(Json.parse(ALLOWED), Json.parse(QUESTION));
    }

    @Test
    void costIsATable() {
        cli.service.answers.put("GET /cost/lab?by=model", """
                {"by":"model","rows":[
                  {"key":"claude-x","calls":2,"input_tokens":110,"output_tokens":22,"cache_read_tokens":40,"cost_usd":0.75,
                   "known_cost_usd":0.75,"unknown_calls":0,"duration_ms":1000},
                  {"key":"moon","calls":1,"input_tokens":1,"output_tokens":1,"cache_read_tokens":0,"cost_usd":null,
                   "known_cost_usd":0,"unknown_calls":1,"duration_ms":10}],
                 "total":{"calls":3,"input_tokens":111,"output_tokens":23,"cache_read_tokens":40,"cost_usd":null,
                   "known_cost_usd":0.75,"unknown_calls":1,"duration_ms":1010}}""");

        Outcome outcome = cli.run("cost", "lab", "--by", "model");

        assertThat(outcome.out()).isEqualTo("""
                        MODEL     CALLS  INPUT  OUTPUT  CACHED    TIME         COST
                        claude-x      2    110      22      40  1.00 s      $0.7500
                        moon          1      1       1       0   10 ms            ?
                        total         3    111      23      40  1.01 s  $0.7500 + ?
                        """);
        assertThat(outcome.err()).isEqualTo("the price of 1 call is not known\n");
    }

    @Test
    void costByTurnSaysWhenAndWithWhom() {
        cli.service.answers.put("GET /cost/lab?by=trace", """
                {"by":"trace","rows":[
                  {"key":"t1","models":"claude-x","first_at":"2026-01-31T12:00:04.5Z","calls":1,"input_tokens":100,
                   "output_tokens":20,"cache_read_tokens":0,"known_cost_usd":0.01,"unknown_calls":0,"duration_ms":900}],
                 "total":{"calls":1,"input_tokens":100,"output_tokens":20,"cache_read_tokens":0,"known_cost_usd":0.01,
                   "unknown_calls":0,"duration_ms":900}}""");

        assertThat(cli.run("cost", "lab").out()).isEqualTo("""
                        STARTED               TRACE  MODEL     CALLS  INPUT  OUTPUT  CACHED    TIME     COST
                        2026-01-31T12:00:04Z  t1     claude-x      1    100      20       0  900 ms  $0.0100
                                              total                1    100      20       0  900 ms  $0.0100
                        """);
    }

    @Test
    void costRefusesBreakdownsThatDoNotExist() {
        Outcome outcome = cli.run("cost", "lab", "--by", "moon");

        assertThat(outcome.exitCode()).isEqualTo(2);
        assertThat(cli.service.calls).isEmpty();
    }

    @Test
    void exportGoesToStdoutOrToAFile() throws IOException {
        cli.directory = directory;
        cli.service.answers.put("GET /export/lab?format=har", "{\"log\":{}}\n");

        assertThat(cli.run("export", "lab", "--har").out()).isEqualTo("{\"log\":{}}\n");
        Outcome saved = cli.run("export", "lab", "--har", "-o", "lab.har");

        assertThat(saved.exitCode()).isZero();
        assertThat(saved.out()).isEmpty();
        assertThat(Files.readString(directory.resolve("lab.har"))).isEqualTo("{\"log\":{}}\n");
    }

    @Test
    void exportSaysWhyAFileCannotBeWritten() {
        cli.directory = directory;
        cli.service.answers.put("GET /export/lab?format=har", "{}");

        Outcome outcome = cli.run("export", "lab", "--har", "-o", "no/x.har");

        assertThat(outcome.exitCode()).isEqualTo(2);
        assertThat(outcome.err()).contains("there is no directory " + directory.resolve("no"));
    }

    /// Where nobody can make a file the kernel says that there is none.
    @Test
    void exportNamesTheDirectoryThatTakesNoFile() {
        cli.service.answers.put("GET /export/lab?format=har", "{}");

        Outcome outcome = cli.run("export", "lab", "--har", "-o", "/proc/x.har");

        assertThat(outcome.exitCode()).isNotZero();
        assertThat(outcome.err())
                .contains("you may not write /proc/x.har", "in the directory /proc (r-xr-xr-x, owner root)")
                .doesNotContain("there is no file");
    }

    @Test
    void exportOfNothingLeavesNoFile() {
        cli.directory = directory;

        Outcome outcome = cli.run("export", "nobody", "--har", "-o", "x.har");

        assertThat(outcome.exitCode()).isEqualTo(125);
        assertThat(directory.resolve("x.har")).doesNotExist();
    }
}
