package dev.capsem.cli.diagnose;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.cli.CliHarness;
import dev.capsem.cli.CliHarness.Outcome;
import dev.capsem.cli.screen.Screen.Terminals;
import dev.capsem.wire.json.Json;
import dev.capsem.wire.service.InspectSchema;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class DiagnoseCommandsTest {
    private static final String TIMELINE = """
            {"columns":["timestamp","layer","ref","summary","status","duration_ms","trace_id"],"rows":[
             ["2026-01-31T12:00:00.100000Z","exec","exec_events:1","make\\u001b[2J","exit 2",1250,null],
             ["2026-01-31T12:00:01.000000Z","model","model_calls:1","anthropic/claude-x","200",900,"4bf92f3577b34da6"],
             ["2026-01-31T12:00:02.000000Z","net","net_events:1","GET evil.example/x policy=block/security.rules.http.no",
              "denied",1,"4bf92f3577b34da6"],
             ["2026-01-31T12:00:02.000000Z","security","security_events:3","http/http.request action=continue findings=0",
              "continue",null,"4bf92f3577b34da6"],
             ["2026-02-01T00:00:00.000000Z","fs","fs_events:1","created a",null,null,null]],
             "notes":["block: GET evil.example/x by security.rules.http.no [2026-01-31T12:00:02Z]"]}""";

    private final CliHarness cli = new CliHarness();

    @Test
    void timelineNamesTheCauseFirstAndIndentsByTrace() {
        cli.service.answers.put("GET /timeline/lab", TIMELINE);

        assertThat(cli.run("timeline", "lab").out()).isEqualTo("""
                        block  GET evil.example/x by security.rules.http.no  2026-01-31T12:00:02Z

                        2026-01-31
                        12:00:00.100  exec      exit 2        1.25 s  make\\x1b[2J
                        trace 4bf92f35
                          12:00:01.000  model     200           900 ms  anthropic/claude-x
                          12:00:02.000  net       denied          1 ms  GET evil.example/x  block  http.no
                        2026-02-01
                        00:00:00.000  fs                              created a
                        """);
    }

    @Test
    void timelineColoursWhatMatters() {
        cli.terminals = new Terminals(false, true, false);
        cli.service.answers.put("GET /timeline/lab?layers=net%2Cexec&since=10m&limit=5", TIMELINE);

        String out = cli.run("timeline", "lab", "--layers", "net,exec", "--since", "10m", "--limit", "5")
                .out();

        assertThat(out)
                .contains("\u001b[31mblock\u001b[0m")
                .contains("\u001b[31mdenied    \u001b[0m")
                .contains("\u001b[33m  1.25 s\u001b[0m")
                .contains("\u001b[32m200       \u001b[0m")
                .contains("\u001b[36mtrace 4bf92f35\u001b[0m")
                .contains("http/http.request");
    }

    @Test
    void timelineAsJsonIsTheAnswer() {
        cli.service.answers.put("GET /timeline/lab", TIMELINE);

        assertThat(Json.parse(cli.run("timeline", "lab", "--json").out())).isEqualTo(Json.parse(TIMELINE));
    }

    @Test
    void triagePrintsTheRank() {
        cli.service.answers.put("GET /triage?id=lab&since=2h", """
                {"since":"2h","session_id":"lab","host":{"panics":[{}],"errors":[{},{}],"ipc_drops":[],"server_errors":[],
                 "slow_ops":[]},"session":{},"rank":["panic: capsem-process of lab: java.lang.Error at A.java:5
                 [2026-01-31T11:00:00Z]","slow: net GET a.example/ took 900 ms [2026-01-31T11:00:01Z]"]}""".replaceAll("\\n +", " "));

        Outcome outcome = cli.run("triage", "lab", "--since", "2h");

        assertThat(outcome.out()).isEqualTo("""
                        panic  capsem-process of lab: java.lang.Error at A.java:5  2026-01-31T11:00:00Z
                        slow   net GET a.example/ took 900 ms  2026-01-31T11:00:01Z
                        """);
        assertThat(outcome.err())
                .isEqualTo(
                        "this host: 1 panic, 0 lost connections, 0 server errors, 0 slow operations, 2 warnings in logs\n");
    }

    @Test
    void triageSaysWhenAllIsWell() {
        cli.service.answers.put(
                "GET /triage", "{\"since\":\"30m\",\"session_id\":null,\"host\":{},\"session\":{},\"rank\":[]}");

        assertThat(cli.run("triage").out()).isEqualTo("nothing went wrong since 30m\n");
    }

    @Test
    void panicsShowWhereAndHow() {
        cli.service.answers.put("GET /panics", """
                {"panics":[{"ts":"2026-01-31T11:00:00Z","binary":"capsem-process","pid":7,"sandbox":"lab","thread":"ipc-3",
                 "location":"A.java:5","message":"java.lang.Error","frames":["a.A.b(A.java:5)"]}]}""");

        assertThat(cli.run("panics").out()).isEqualTo("""
                        2026-01-31T11:00:00Z capsem-process of lab in ipc-3
                          java.lang.Error at A.java:5
                            a.A.b(A.java:5)
                        """);
    }

    @Test
    void inspectIsATable() {
        cli.service.answers.put(
                "POST /inspect/lab",
                "{\"columns\":[\"domain\",\"n\"],\"rows\":[[\"a.example\",2],[null,1]],\"truncated\":true}");
        cli.stdin = "SELECT 1".getBytes(StandardCharsets.UTF_8);

        Outcome outcome = cli.run("inspect", "lab", "-");

        assertThat(outcome.out()).isEqualTo("""
                        domain     n
                        a.example  2
                        ∅          1
                        """);
        assertThat(outcome.err()).isEqualTo("2 rows; there are more: ask for less at a time\n");
        assertThat(cli.service.bodies).hasToString("[{\"sql\":\"SELECT 1\"}]");
    }

    @Test
    void inspectKnowsTheSchemaByHeart() {
        assertThat(cli.run("inspect", "--schema").out())
                .startsWith("TABLE ")
                .contains("audit_events ", "net_events ", "One HTTP request each, allowed or not.")
                .endsWith("\n\n" + InspectSchema.sql());
        assertThat(Json.parse(cli.run("inspect", "--schema", "--json").out())
                        .path("tables")
                        .path("net_events")
                        .asString())
                .isEqualTo("One HTTP request each, allowed or not.");
        assertThat(cli.run("inspect", "lab").exitCode()).isEqualTo(2);
    }
}
