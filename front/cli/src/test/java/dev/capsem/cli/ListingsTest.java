package dev.capsem.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.wire.json.Json;
import dev.capsem.wire.service.DiffReply;
import dev.capsem.wire.service.HistoryReply;
import dev.capsem.wire.service.SandboxSummary;
import dev.capsem.wire.service.StatusReply;
import dev.capsem.wire.service.VerifyReply;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// What people read, compared whole.
class ListingsTest {
    private final CliHarness cli = new CliHarness();

    private static SandboxSummary sandbox(String id, String status, Optional<String> project, Optional<String> error) {
        boolean persistent = !id.endsWith("-tmp");
        boolean runs = status.equals("Running");
        return new SandboxSummary(
                id,
                persistent ? Optional.of(id) : Optional.empty(),
                runs ? 4242 : 0,
                status,
                persistent,
                Optional.of(2_048),
                Optional.of(2),
                Optional.of("0.1.0"),
                Optional.empty(),
                Optional.empty(),
                runs ? Optional.empty() : Optional.of(1_572_864L),
                Optional.of(16_384),
                Optional.empty(),
                Optional.empty(),
                Optional.of("2026-01-01T00:00:00Z"),
                runs ? Optional.of(7_500L) : Optional.empty(),
                project,
                project.map(_ -> "claude -p \"fix the tests\""),
                project.map(_ -> 5),
                runs
                        ? Map.of(
                                "exec_audit_missed",
                                0L,
                                "file_watch_gaps",
                                2L,
                                "process_exec_count",
                                3L,
                                "total_file_events",
                                12L)
                        : Map.of(),
                runs ? Optional.of("Device or resource busy") : Optional.empty(),
                error);
    }

    @Test
    void whyASandboxBrokeIsOneShortLine() {
        cli.service.sandboxes.add(sandbox(
                "old", "Defunct", Optional.empty(), Optional.of("it crashed " + "x".repeat(500) + "\nlog\nlog\n")));

        String table = cli.run("list").out();

        assertThat(table.lines()).hasSize(2).allMatch(line -> line.length() < 200);
        assertThat(table).contains("broken: it crashed xxx").contains("…");
    }

    @Test
    void list() {
        cli.service.sandboxes.add(sandbox("lab", "Running", Optional.of("/home/me/app"), Optional.empty()));
        cli.service.sandboxes.add(sandbox("brave-otter-tmp", "Running", Optional.empty(), Optional.empty()));
        cli.service.sandboxes.add(sandbox("old", "Defunct", Optional.empty(), Optional.of("spec.json\nis missing")));

        Golden.check("list.txt", cli.run("list").out());
        assertThat(cli.run("ls", "-q").out()).isEqualTo("brave-otter-tmp\nlab\nold\n");
        assertThat(Json.parse(cli.run("list", "--json").out()).path("sandboxes").size())
                .isEqualTo(3);
    }

    @Test
    void anEmptyListSaysHowToBegin() {
        CliHarness.Outcome outcome = cli.run("list");

        assertThat(outcome.out()).isEmpty();
        assertThat(outcome.err()).contains("capsem create");
    }

    @Test
    void info() {
        cli.service.sandboxes.add(sandbox("lab", "Running", Optional.of("/home/me/app"), Optional.empty()));
        cli.service.sandboxes.add(sandbox("old", "Defunct", Optional.empty(), Optional.of("spec.json is missing")));

        Golden.check(
                "info.txt",
                cli.run("info", "lab").out() + "\n" + cli.run("info", "old").out());
    }

    @Test
    void history() {
        cli.service.history = new HistoryReply(
                List.of(
                        new HistoryReply.Entry(
                                "2026-01-31T12:02:00Z",
                                "exec",
                                "sleep 100",
                                Optional.empty(),
                                Optional.empty(),
                                "",
                                "",
                                Json.object()),
                        entry("2026-01-31T12:01:00Z", "x".repeat(200), 137, 90_000),
                        entry("2026-01-31T12:00:05Z", "printf '\u001b[2Jgone'", 0, 7),
                        entry("2026-01-31T12:00:00.123Z", "make test", 0, 1_250)),
                9,
                true);

        CliHarness.Outcome outcome = cli.run("history", "lab");

        Golden.check("history.txt", outcome.out() + outcome.err());
    }

    private static HistoryReply.Entry entry(String time, String command, int exitCode, long millis) {
        return new HistoryReply.Entry(
                time, "exec", command, Optional.of(exitCode), Optional.of(millis), "", "", Json.object());
    }

    @Test
    void status() {
        cli.environment.put("CAPSEM_HOME", "/nowhere");
        String healthy = cli.run("status").out();
        StatusReply s = cli.service.status;
        cli.service.status = new StatusReply(
                s.version(),
                s.pid(),
                s.uptimeSecs(),
                s.home(),
                s.driver(),
                s.abilities(),
                List.of(new StatusReply.Problem("no_bwrap", "bwrap is not installed", "apt-get install bubblewrap")),
                s.sandboxes(),
                s.sandboxesMax(),
                s.spare(),
                2,
                7);

        CliHarness.Outcome ill = cli.run("status");

        assertThat(ill.exitCode()).isEqualTo(1);
        Golden.check("status.txt", healthy + "\n" + ill.out());
    }

    @Test
    void diff() {
        cli.service.diff = new DiffReply(
                "/home/me/app",
                List.of(
                        new DiffReply.Change("src/main.c", "modified", 1, 1, Optional.empty()),
                        new DiffReply.Change("logo.png", "added", 0, 0, Optional.of("binary")),
                        new DiffReply.Change("docs", "added", 0, 0, Optional.of("directory"))),
                "--- a/src/main.c\n+++ b/src/main.c\n@@ -1 +1 @@\n-old\n+new \u001b[2J\n",
                true);

        CliHarness.Outcome table = cli.run("diff", "lab", "--stat");
        CliHarness.Outcome lines = cli.run("diff", "lab");

        Golden.check("diff.txt", table.out() + table.err() + "\n" + lines.out() + lines.err());
        assertThat(cli.run("diff", "lab", "--exit-code").exitCode()).isEqualTo(1);
        assertThat(cli.run("diff", "lab", "-q").err()).isEmpty();
    }

    @Test
    void aDiffOnATerminalCannotSteerIt() {
        cli.terminals = new dev.capsem.cli.screen.Screen.Terminals(false, true, false);
        cli.environment.put("NO_COLOR", "1");
        cli.service.diff = new DiffReply(
                "/p",
                List.of(new DiffReply.Change("a", "added", 1, 0, Optional.empty())),
                "+\u001b]0;title\u0007\u202egnirts\n",
                false);

        assertThat(cli.run("diff", "lab").out()).isEqualTo("+\\x1b]0;title\\x07\\u202egnirts\n");
    }

    @Test
    void verify() {
        String whole = cli.run("verify", "lab").out();
        cli.service.verified = new VerifyReply(
                false,
                12,
                2,
                Map.of("http.request", 40L, "dns.query", 1L),
                Optional.of("event 7 does not follow event 6"));
        CliHarness.Outcome broken = cli.run("verify", "lab");

        assertThat(broken.exitCode()).isEqualTo(1);
        assertThat(whole + broken.out()).isEqualTo("""
                unbroken: 12 events checked
                BROKEN: event 7 does not follow event 6 (12 events checked; 41 events were lost, in 2 gaps: 40 http.request, 1 dns.query)
                """);
    }

    @Test
    void stats() {
        var stats = Json.object();
        stats.putObject("global")
                .put("total_sessions", 4)
                .put("total_exec_events", 120)
                .putNull("total_cost");
        stats.putArray("sessions").add(Json.object());
        cli.service.stats = stats;

        Golden.check("stats.txt", cli.run("stats").out());
    }
}
