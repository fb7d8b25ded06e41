package dev.capsem.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.http.HttpAnswer;
import dev.capsem.service.FakeHost;
import dev.capsem.service.SandboxEngine;
import dev.capsem.service.problem.ServiceProblem;
import dev.capsem.telemetry.Databases;
import dev.capsem.telemetry.SessionSchema;
import dev.capsem.wire.service.ServiceError;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/// Diagnostics as routes, over records made up here.
class DiagnoseApiTest {
    @TempDir
    private Path home = Path.of("replaced by JUnit");

    private FakeHost fake;
    private SandboxEngine host;
    private TestService service;
    private Calls calls;

    @BeforeEach
    void open() {
        fake = new FakeHost(home);
        host = fake.open();
        service = new TestService(fake, host, () -> {});
        calls = new Calls(service.routes());
        calls.post("/provision", "{\"name\":\"lab\",\"persistent\":true}");
    }

    @AfterEach
    void close() {
        service.close();
        host.close();
    }

    private Path session(String id) {
        return host.sandboxes().find(id).facts().sessionDir();
    }

    private void record(String... statements) throws SQLException {
        try (Connection connection = Databases.forWriting(session("lab").resolve("session.db"));
                Statement statement = connection.createStatement()) {
            statement.executeUpdate(SessionSchema.sql());
            for (String sql : statements) {
                statement.executeUpdate(sql);
            }
        }
    }

    private static String sql(String sql) {
        return "{\"sql\":\"" + sql + "\"}";
    }

    @Test
    void inspectAsksTheSessionsDatabaseAlsoWhenItStopped() throws SQLException {
        record("INSERT INTO fs_events (timestamp, action, path) VALUES ('2026-03-01T10:00:00Z', 'created', 'a')");
        calls.post("/stop/lab", "");

        JsonNode answer = calls.post("/inspect/lab", sql("SELECT action, path, size FROM fs_events"));

        assertThat(answer)
                .hasToString(
                        "{\"columns\":[\"action\",\"path\",\"size\"],\"rows\":[[\"created\",\"a\",null]],\"truncated\":false}");
    }

    @Test
    void inspectNamesWhatItRefuses() throws SQLException {
        calls.refused(ServiceProblem.Code.SANDBOX_NOT_FOUND, "POST", "/inspect/nobody", sql("SELECT 1"));
        calls.refused(ServiceProblem.Code.NOTHING_RECORDED, "POST", "/inspect/lab", sql("SELECT 1"));
        record();

        ServiceError refusal =
                calls.refused(ServiceProblem.Code.BAD_SQL, "POST", "/inspect/lab", sql("PRAGMA query_only = 0"));

        assertThat(refusal.error()).isEqualTo("query failed: PRAGMA statements are not allowed");
        calls.refused(ServiceProblem.Code.BAD_SQL, "POST", "/inspect/lab", sql("SELECT 1; SELECT 2"));
    }

    private void write(Path file, String... lines) throws IOException {
        Files.createDirectories(file.toAbsolutePath().getParent());
        Files.writeString(file, String.join("\n", lines) + "\n");
    }

    private static String line(String at, String level, String message, String more) {
        return "{\"timestamp\":\"" + at + "\",\"level\":\"" + level + "\",\"target\":\"t\",\"fields\":{\"message\":\""
                + message + "\"" + more + "}}";
    }

    private String text(String path) {
        HttpAnswer answer = calls.call("GET", path, "");
        return new String(((HttpAnswer.Content) answer).bytes(), StandardCharsets.UTF_8);
    }

    @Test
    void logsAreFilteredThenCut() throws IOException {
        write(session("lab").resolve("process.log"), "Alpha 1", "beta 2", "ALPHA 3", "alpha 4");

        JsonNode logs = calls.get("/logs/lab?grep=alpha&tail=2");

        assertThat(logs.path("process_logs").asString()).isEqualTo("ALPHA 3\nalpha 4\n");
        assertThat(calls.get("/logs/lab?tail=0").path("process_logs").asString())
                .isEmpty();
    }

    @Test
    void hostLogsAreThoseOnTheListAndNoOthers() throws IOException {
        write(fake.layout().serviceLog(), "Alpha 1", "alpha 2", "alpha 3");
        write(session("lab").resolve("process.log"), line("2026-03-04T03:00:01Z", "INFO", "second", ""), "\tat frame");
        write(
                fake.layout().sessionsDir().resolve("old-failed-00000000").resolve("process.log"),
                line("2026-03-04T03:00:00Z", "INFO", "first", ""),
                line("2026-03-04T03:00:02Z", "INFO", "third", ""));

        assertThat(text("/host-logs/service?grep=alpha&tail=1")).isEqualTo("alpha 3\n");
        assertThat(text("/host-logs/service?grep=Alpha")).isEqualTo("Alpha 1\n");
        assertThat(text("/host-logs/service?max_bytes=10")).isEqualTo("alpha 3\n");
        assertThat(text("/host-logs/gateway")).isEmpty();
        assertThat(text("/host-logs/process")
                        .lines()
                        .map(line -> line.replaceAll(".*message\":\"(\\w+).*sandbox\":\"([\\w-]+).*", "$1 $2")))
                .containsExactly("first old-failed-00000000", "second lab", "\tat frame", "third old-failed-00000000");
        ServiceError refusal = calls.refused(ServiceProblem.Code.BAD_NAME, "GET", "/host-logs/panics", "");
        assertThat(refusal.error()).isEqualTo("unknown log name: panics");
    }

    @Test
    void panicsAreFoundWhereverTheyWereLeft() throws IOException {
        write(
                fake.layout().panicLog(),
                "{\"timestamp\":\"2026-03-04T04:00:00Z\",\"level\":\"ERROR\",\"target\":\"panic\",\"fields\":{\"message\":"
                        + "\"java.lang.IllegalStateException: in " + home
                        + "/x\",\"binary\":\"capsem-process\",\"pid\":7,"
                        + "\"sandbox\":\"lab\",\"thread\":\"ipc-3\",\"location\":\"A.java:5\",\"frames\":[\"a.A.b(A.java:5)\"]}}");
        write(
                session("lab").resolve("aggregator.log"),
                line("2026-03-04T04:30:00Z", "INFO", "server.connected", ""),
                "Exception in thread \"main\" java.lang.NumberFormatException: For input string: \"secret\"",
                "\tat dev.capsem.backends.X.y(X.java:9)",
                "\tat dev.capsem.backends.X.z(X.java:3)");
        Path crash = fake.layout().crashDir().resolve("capsem-service-4711.log");
        write(
                crash,
                "#",
                "# A fatal error has been detected by the Java Runtime Environment:",
                "#",
                "#  SIGSEGV (0xb) at pc=0x00007f810cafef14, pid=4711, tid=4712",
                "#",
                "# Problematic frame:",
                "# C  [libc.so.6+0x85f14]",
                "Current thread (0x00007f):  JavaThread \"request-7\" [_thread_in_native, id=1, stack(0x0,0x1)]",
                "Native frames: (J=compiled Java code, j=interpreted, Vv=VM code, C=native code)",
                "C  [libc.so.6+0x85f14]",
                "j  dev.capsem.service.X.y()V+3",
                "J 1234 c1 dev.capsem.service.X.z()V (10 bytes)");
        Files.setLastModifiedTime(crash, FileTime.from(Instant.parse("2026-03-04T03:00:00Z")));

        JsonNode panics = calls.get("/panics").path("panics");

        assertThat(panics.size()).isEqualTo(3);
        assertThat(panics.get(0))
                .hasToString(
                        "{\"ts\":\"2026-03-04T04:30:00Z\",\"binary\":\"capsem-mcp-aggregator\",\"sandbox\":\"lab\","
                                + "\"thread\":\"main\",\"location\":\"dev.capsem.backends.X.y(X.java:9)\","
                                + "\"message\":\"java.lang.NumberFormatException\",\"frames\":[\"dev.capsem.backends.X.y(X.java:9)\","
                                + "\"dev.capsem.backends.X.z(X.java:3)\"]}");
        assertThat(panics.get(1))
                .hasToString(
                        "{\"ts\":\"2026-03-04T04:00:00Z\",\"binary\":\"capsem-process\",\"pid\":7,\"sandbox\":\"lab\","
                                + "\"thread\":\"ipc-3\",\"location\":\"A.java:5\",\"message\":"
                                + "\"java.lang.IllegalStateException: in ~/x\",\"frames\":[\"a.A.b(A.java:5)\"]}");
        assertThat(panics.get(2))
                .hasToString("{\"ts\":\"2026-03-04T03:00:00Z\",\"binary\":\"capsem-service\",\"pid\":4711,"
                        + "\"thread\":\"request-7\",\"location\":\"C  [libc.so.6+0x85f14]\","
                        + "\"message\":\"JVM crash: SIGSEGV (0xb) at pc=0x00007f810cafef14, pid=4711, tid=4712\",\"frames\":["
                        + "\"C  [libc.so.6+0x85f14]\",\"j  dev.capsem.service.X.y()V+3\","
                        + "\"J 1234 c1 dev.capsem.service.X.z()V (10 bytes)\"]}");
        assertThat(calls.get("/panics?since=2026-03-04T03:30:00Z")
                        .path("panics")
                        .size())
                .isEqualTo(2);
        assertThat(calls.get("/panics?limit=1").path("panics").size()).isEqualTo(1);
        calls.refused(ServiceProblem.Code.BAD_QUERY, "GET", "/panics?since=yesterday", "");
        calls.refused(ServiceProblem.Code.BAD_QUERY, "GET", "/panics?limit=201", "");
    }

    private void trouble() throws IOException, SQLException {
        record(
                "INSERT INTO net_events (timestamp, domain, method, path, decision, policy_action, policy_rule, policy_reason,"
                        + " duration_ms, trace_id) VALUES ('2026-03-04T04:56:00.000000Z', 'evil.example', 'GET', '/x', 'denied',"
                        + " 'block', 'security.rules.http.no_evil', 'not there', 1, 't1'),"
                        + " ('2026-03-04T04:57:00.000000Z', 'slow.example', 'POST', '/y', 'allowed', 'allow', NULL, NULL, 2400,"
                        + " 't2')",
                "INSERT INTO exec_events (timestamp, exec_id, command, exit_code, duration_ms, stderr_preview, trace_id)"
                        + " VALUES ('2026-03-04T04:58:00.000000Z', 1, 'make test', 2, 10, 'one\ntwo: no rule\n', NULL)");
        write(
                fake.layout().serviceLog(),
                line("2026-03-04T04:00:00Z", "WARN", "long ago", ""),
                line(
                        "2026-03-04T04:59:00Z",
                        "WARN",
                        "ipc.dropped",
                        ",\"sandbox\":\"lab\",\"operation\":\"exec\",\"code\":\"LOST\""),
                line(
                        "2026-03-04T04:59:01Z",
                        "WARN",
                        "http.server_error",
                        ",\"op\":\"POST /exec/{id}\",\"status\":\"503\",\"code\":\"sandbox_lost\""),
                line(
                        "2026-03-04T04:59:02Z",
                        "INFO",
                        "http.slow",
                        ",\"op\":\"POST /provision\",\"duration_ms\":\"1500\""),
                line(
                        "2026-03-04T04:59:03Z",
                        "WARN",
                        "its process ended",
                        ",\"event\":\"sandbox.crashed\",\"sandbox\":\"lab\",\"pid\":\"7\""),
                line("2026-03-04T04:59:04Z", "ERROR", "of another", ",\"sandbox\":\"twin\""));
    }

    @Test
    void triageNamesTheCausesWorstFirst() throws IOException, SQLException {
        trouble();

        JsonNode report = calls.get("/triage?id=lab");

        assertThat(report.path("since").asString()).isEqualTo("30m");
        assertThat(report.path("session_id").asString()).isEqualTo("lab");
        assertThat(report.path("rank").valueStream().map(JsonNode::asString))
                .containsExactly(
                        "crash: the process of lab ended unexpectedly and left no panic: killed from outside, or out of memory"
                                + " [2026-03-04T04:59:03Z]",
                        "ipc: the connection to lab was lost during exec (LOST) [2026-03-04T04:59:00Z]",
                        "error: POST /exec/{id} answered 503 sandbox_lost [2026-03-04T04:59:01Z]",
                        "block: GET evil.example/x by security.rules.http.no_evil: not there [2026-03-04T04:56:00Z]",
                        "error: `make test` exited with 2: two: no rule [2026-03-04T04:58:00Z]",
                        "slow: net POST slow.example/y took 2400 ms [2026-03-04T04:57:00Z]");
        assertThat(report.path("host").path("errors").size()).isEqualTo(3);
        assertThat(report.path("host").path("slow_ops").get(0))
                .hasToString(
                        "{\"ts\":\"2026-03-04T04:59:02Z\",\"binary\":\"capsem-service\",\"op\":\"POST /provision\","
                                + "\"duration_ms\":1500}");
        assertThat(report.path("session").propertyNames())
                .contains(
                        "denied_net",
                        "dns_issues",
                        "mcp_errors",
                        "exec_failures",
                        "audit_failures",
                        "security_decisions");
    }

    /// A JVM that crashes itself leaves its pid, and the service knew for whom it worked.
    @Test
    void triageKnowsWhoseFatalErrorItWas() throws IOException, SQLException {
        trouble();
        Path crash = fake.layout().crashDir().resolve("capsem-process-7.log");
        write(crash, "# A fatal error has been detected by the Java Runtime Environment:", "#", "#  SIGBUS (0x7)");
        Files.setLastModifiedTime(crash, FileTime.from(Instant.parse("2026-03-04T04:59:02Z")));

        assertThat(calls.get("/triage?id=lab").path("rank").get(0).asString())
                .isEqualTo("panic: capsem-process of lab: JVM crash: SIGBUS (0x7) [2026-03-04T04:59:02Z]");
        assertThat(calls.get("/triage?id=twin").path("host").path("panics").isEmpty())
                .isTrue();
    }

    @Test
    void triageAsksNoSessionUnlessTold() throws IOException, SQLException {
        trouble();

        assertThat(calls.get("/triage").path("session")).hasToString("{}");
        assertThat(calls.get("/triage").path("host").path("errors").size()).isEqualTo(4);
        assertThat(calls.get("/triage?since=5m").path("rank").isEmpty()).isTrue();
        assertThat(calls.get("/triage?id=nobody").path("session"))
                .hasToString("{\"missing\":true,\"reason\":\"session not found\"}");
    }

    @Test
    void timelineIsInOrderAndByLayer() throws IOException, SQLException {
        trouble();

        JsonNode all = calls.get("/timeline/lab");

        assertThat(all.path("columns"))
                .hasToString("[\"timestamp\",\"layer\",\"ref\",\"summary\",\"status\",\"duration_ms\",\"trace_id\"]");
        assertThat(all.path("rows").valueStream().map(JsonNode::toString))
                .containsExactly(
                        "[\"2026-03-04T04:56:00.000000Z\",\"net\",\"net_events:1\",\"GET evil.example/x"
                                + " policy=block/security.rules.http.no_evil\",\"denied\",1,\"t1\"]",
                        "[\"2026-03-04T04:57:00.000000Z\",\"net\",\"net_events:2\",\"POST slow.example/y policy=allow\","
                                + "\"allowed\",2400,\"t2\"]",
                        "[\"2026-03-04T04:58:00.000000Z\",\"exec\",\"exec_events:1\",\"make test\",\"exit 2\",10,null]");
        assertThat(all.path("notes").get(0).asString()).startsWith("crash: the process of lab");
        assertThat(rows("/timeline/lab?trace_id=t1")).isEqualTo(2);
        assertThat(rows("/timeline/lab?layers=exec,nonsense")).isEqualTo(1);
        assertThat(rows("/timeline/lab?since=10m")).isEqualTo(2);
        assertThat(calls.get("/timeline/lab?limit=1").path("rows").get(0).get(1).asString())
                .isEqualTo("exec");
        calls.refused(ServiceProblem.Code.BAD_QUERY, "GET", "/timeline/lab?layers=nonsense", "");
        calls.refused(ServiceProblem.Code.BAD_QUERY, "GET", "/timeline/lab?limit=2001", "");
        calls.refused(ServiceProblem.Code.SANDBOX_NOT_FOUND, "GET", "/timeline/nobody", "");
    }

    private int rows(String path) {
        return calls.get(path).path("rows").size();
    }
}
