package dev.capsem.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.e2e.Commands.Outcome;
import dev.capsem.e2e.Installation.Reply;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;
import tools.jackson.databind.JsonNode;

/// One session in which a request is blocked, a command fails, a call is slow and the process crashes: whoever asks
/// afterwards reads the causes in the first lines. And nothing that is asked in SQL harms the service.
@Tag("e2e")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class DiagnosticsTest {
    private static final String RULES = """
            [security.rules.http.no_uploads]
            on = "http.request"
            if = 'http.request.host == "web.example.test" && http.request.path == "/upload"'
            decision = "block"
            priority = 10
            reason = "uploads are off limits"
            """;
    private static final String BOMB =
            "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c";
    private static final int SLOW_MILLIS = 2_000;

    private World world;
    private NetSandbox sandbox;
    private Installation installation;

    @BeforeAll
    void open() {
        world = new World();
        world.origin("slow", exchange -> {
            try {
                TimeUnit.MILLISECONDS.sleep(SLOW_MILLIS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            exchange.reply(200, "text/plain", "at last\n");
        });
        sandbox = NetSandbox.startAlone(Account.ROOT, world, RULES);
        installation = sandbox.installation();
        sandbox.exec("curl -sS -X POST -d x https://{web}/upload; curl -sS https://{slow}/text");
        sandbox.exec("echo 'no rule to make target' >&2; exit 3");
        sandbox.awaitRows(2, "SELECT * FROM net_events");
        sandbox.awaitRows(1, "SELECT * FROM exec_events WHERE exit_code = 3");
    }

    @AfterAll
    void close() {
        sandbox.close();
        world.close();
    }

    private Reply inspect(String sql) {
        return installation.post(
                "/inspect/" + sandbox.id(),
                Installation.JSON.createObjectNode().put("sql", sql).toString());
    }

    @Test
    @Order(1)
    void inspectAnswersAndRefuses() throws IOException {
        JsonNode answer = inspect("SELECT domain, policy_rule FROM net_events WHERE decision = 'denied'")
                .expect(200)
                .json();
        assertThat(answer.path("rows")).hasToString("[[\"web.example.test\",\"security.rules.http.no_uploads\"]]");
        Path copy = installation.home().resolve("copy.db");
        for (String attack : List.of(
                "ATTACH '" + installation.home().resolve("sessions/main.db") + "' AS other",
                "VACUUM INTO '" + copy + "'",
                "PRAGMA query_only = 0",
                "EXPLAIN PRAGMA query_only = 0",
                "SELECT 1; DELETE FROM net_events",
                "WITH x AS (SELECT 1) DELETE FROM net_events",
                "SELECT load_extension('/lib/x86_64-linux-gnu/libm.so.6')",
                "SELECT length(zeroblob(2000000000))",
                "SELECT length(printf('%.2000000000c', 'x'))",
                "SELECT replicate('aaaaaaaaaa', 200000000)")) {
            assertThat(inspect(attack).expect(422).json().path("code").asString())
                    .as(attack)
                    .isEqualTo("bad_sql");
        }
        assertThat(copy).doesNotExist();
    }

    @Test
    @Order(2)
    void bombsEndInTimeAndTheServiceGoesOn() {
        List<Thread> bombs = Stream.of(
                        BOMB,
                        "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c)"
                                + " SELECT hex(randomblob(500000)) AS b FROM c ORDER BY b")
                .map(sql -> Thread.ofVirtual().unstarted(() -> assertStopped(inspect(sql))))
                .toList();
        List<Throwable> failures = new CopyOnWriteArrayList<>();
        bombs.forEach(bomb -> {
            bomb.setUncaughtExceptionHandler((_, e) -> failures.add(e));
            bomb.start();
        });

        assertThat(sandbox.exec("echo still here").stdout()).isEqualTo("still here\n");
        installation.get("/list").expect(200);

        bombs.forEach(DiagnosticsTest::join);
        assertThat(failures).isEmpty();
        assertThat(inspect("SELECT count(*) FROM exec_events")
                        .expect(200)
                        .json()
                        .path("truncated")
                        .asBoolean())
                .isFalse();
    }

    private static void assertStopped(Reply reply) {
        assertThat(reply.expect(422).json().path("code").asString()).isEqualTo("query_stopped");
    }

    private static void join(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    @Order(3)
    void timelineAndTriageNameTheCausesInTheFirstLines() {
        signal("SEGV", sandbox.id());
        String second = installation.create();
        signal("KILL", second);

        List<String> timeline = lines(installation.capsem("timeline", sandbox.id()));
        List<String> triage = lines(installation.capsem("triage", sandbox.id()));

        keep("timeline.txt", timeline);
        keep("triage.txt", triage);
        for (List<String> lines : List.of(timeline, triage)) {
            assertThat(lines.get(0)).matches("panic +capsem-process of " + sandbox.id() + ": JVM crash: SIGSEGV.*");
            assertThat(lines.get(1))
                    .matches("crash +the process of " + sandbox.id() + " ended unexpectedly: JVM crash: SIGSEGV.*");
            assertThat(lines.subList(2, Math.min(lines.size(), 8)))
                    .anyMatch(line -> line.matches(
                            "block +POST web.example.test/upload by security.rules.http.no_uploads: uploads are off"
                                    + " limits.*"))
                    .anyMatch(line -> line.matches("error +`.*exit 3` exited with 3: no rule to make target.*"))
                    .anyMatch(line -> line.matches("slow +net GET slow.example.test/text took \\d+ ms.*"));
        }
        assertThat(timeline)
                .anyMatch(
                        line -> line.matches(" *\\S+ +net +denied +.*web.example.test/upload +block +http.no_uploads"))
                .anyMatch(line -> line.matches(" *\\S+ +exec +exit 3 +.*"));
        assertThat(lines(installation.capsem("triage", second)).getFirst())
                .matches("crash +the process of " + second + " ended unexpectedly and left no panic: killed from.*");
    }

    @Test
    @Order(4)
    void aCrashLeavesARecordAndItsSessionCanStillBeAsked() {
        JsonNode panic = installation
                .get("/panics?since=10m")
                .expect(200)
                .json()
                .path("panics")
                .path(0);

        assertThat(panic.path("binary").asString()).isEqualTo("capsem-process");
        assertThat(panic.path("frames").isEmpty()).isFalse();
        assertThat(inspect("SELECT count(*) FROM net_events")
                        .expect(200)
                        .json()
                        .path("rows")
                        .path(0)
                        .path(0)
                        .asInt())
                .isEqualTo(2);
        assertThat(installation
                        .get("/logs/" + sandbox.id() + "?grep=http.request&tail=1")
                        .expect(200)
                        .json()
                        .path("security_logs")
                        .asString()
                        .lines())
                .hasSize(1);
        assertThat(installation
                        .get("/host-logs/service?grep=sandbox.crashed")
                        .expect(200)
                        .text()
                        .lines())
                .hasSize(2);
        installation.get("/host-logs/passwd").expect(400);
        assertThat(installation.capsem("panics").stdout()).contains("JVM crash");
        assertThat(installation
                        .capsem("inspect", sandbox.id(), "SELECT command FROM exec_events", "--json")
                        .exitCode())
                .isZero();
    }

    /// For whoever wants to see what a person would.
    private static void keep(String name, List<String> lines) {
        try {
            Path folder = Files.createDirectories(Path.of("target", "transcripts"));
            Files.write(folder.resolve("diagnostics-" + name), lines);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<String> lines(Outcome outcome) {
        assertThat(outcome.exitCode()).as("%s", outcome.stderr()).isZero();
        return outcome.stdout().lines().toList();
    }

    /// Ends a sandbox's capsem-process from outside, and waits until the service knows.
    private void signal(String name, String id) {
        long pid =
                installation.get("/info/" + id).expect(200).json().path("pid").asLong();
        Commands.run(List.of("kill", "-" + name, Long.toString(pid)), Map.of(), Path.of("/"), new byte[0]);
        for (int i = 0; i < 600 && installation.get("/info/" + id).status() == 200; i++) {
            try {
                TimeUnit.MILLISECONDS.sleep(100);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
        assertThat(installation.get("/info/" + id).status()).isEqualTo(404);
        assertThat(Files.exists(Path.of("/proc", Long.toString(pid), "exe"))).isFalse();
    }
}
