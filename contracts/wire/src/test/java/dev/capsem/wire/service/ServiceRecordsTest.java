package dev.capsem.wire.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.capsem.wire.json.Json;
import dev.capsem.wire.json.JsonShapeException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/// Each record survives the way through JSON; absent members have their meaning; unknown ones are no error.
class ServiceRecordsTest {
    private static JsonNode json(String text) {
        return Json.parse(text.replace('\'', '"'));
    }

    private static JsonNode again(ObjectNode written) {
        return Json.parse(Json.bytes(written.put("from_the_future", true)));
    }

    @Test
    void provisionRequest() {
        ProvisionRequest full = new ProvisionRequest(
                Optional.of("lab"),
                Optional.of(512),
                Optional.of(3),
                true,
                Map.of("A", "b"),
                Optional.of("base"),
                Optional.of(new ProvisionRequest.ProjectMount("/work", true)),
                Optional.of("strict"),
                Optional.of("5usd"),
                List.of(
                        new ProvisionRequest.HostMount("/srv/tool", Optional.empty()),
                        new ProvisionRequest.HostMount("/srv/data", Optional.of("/data"))),
                true);

        assertThat(ProvisionRequest.fromJson(again(full.toJson()))).isEqualTo(full);
        assertThat(ProvisionRequest.fromJson(json("{}"))).isEqualTo(ProvisionRequest.temporary());
        assertThat(ProvisionRequest.fromJson(json("{'name':null,'env':null}"))).isEqualTo(ProvisionRequest.temporary());
        assertThat(ProvisionRequest.fromJson(json("{'image':'base'}")).from()).contains("base");
        for (String wrong : List.of(
                "[]",
                "{'name':1}",
                "{'ram_mb':'x'}",
                "{'cpus':1.5}",
                "{'ram_mb':3000000000}",
                "{'persistent':1}",
                "{'env':[]}",
                "{'env':{'A':1}}",
                "{'project':{}}",
                "{'mounts':{}}",
                "{'mounts':[{}]}",
                "{'hide_secrets':1}")) {
            assertThatThrownBy(() -> ProvisionRequest.fromJson(json(wrong)))
                    .as(wrong)
                    .isInstanceOf(JsonShapeException.class);
        }
    }

    @Test
    void execRequest() {
        ExecRequest full = new ExecRequest(
                new ExecRequest.Command.Argv(List.of("a", "")),
                Optional.empty(),
                Map.of("A", "b"),
                Optional.of("/tmp"),
                Optional.of(7),
                Optional.of("cli"));

        assertThat(ExecRequest.fromJson(again(full.toJson()))).isEqualTo(full);
        assertThat(ExecRequest.fromJson(json("{'command':'ls'}"))).isEqualTo(ExecRequest.shell("ls"));
        byte[] binary = {0, (byte) 0xFF, 10};
        assertThat(ExecRequest.fromJson(
                                again(ExecRequest.shell("x").withStdin(binary).toJson()))
                        .stdin()
                        .orElseThrow())
                .isEqualTo(binary);
        assertThat(ExecRequest.fromJson(json("{'command':'x','stdin':'ä'}"))
                        .stdin()
                        .orElseThrow())
                .isEqualTo("ä".getBytes(StandardCharsets.UTF_8));
        for (String wrong : List.of(
                "{}",
                "{'argv':[]}",
                "{'command':'a','argv':['b']}",
                "{'command':1}",
                "{'argv':[1]}",
                "{'command':'a','stdin':'?','stdin_encoding':'base64'}",
                "{'command':'a','stdin':'x','stdin_encoding':'latin1'}",
                "{'command':'a','timeout_secs':'1'}")) {
            assertThatThrownBy(() -> ExecRequest.fromJson(json(wrong)))
                    .as(wrong)
                    .isInstanceOf(JsonShapeException.class);
        }
    }

    @Test
    void execEventsLoseNoByte() {
        byte[] text = "grün\n".getBytes(StandardCharsets.UTF_8);
        byte[] half = {text[0], text[1], text[2]};
        ExecEvent.Stdout whole = (ExecEvent.Stdout)
                ExecEvent.fromJson(again(new ExecEvent.Stdout(text).toJson())).orElseThrow();
        ExecEvent.Stderr cut = (ExecEvent.Stderr)
                ExecEvent.fromJson(again(new ExecEvent.Stderr(half).toJson())).orElseThrow();

        assertThat(whole.data()).isEqualTo(text);
        assertThat(new ExecEvent.Stdout(text).toJson().has("encoding")).isFalse();
        assertThat(cut.data()).isEqualTo(half);
        for (ExecEvent event : List.of(
                new ExecEvent.Started("lab", 7, List.of("careful")),
                new ExecEvent.Exited(3, 4, 5, 6, true, Optional.of("why")),
                new ExecEvent.Failed(new ServiceError("e", "c", "r")))) {
            assertThat(ExecEvent.fromJson(again(event.toJson()))).contains(event);
        }
        assertThat(ExecEvent.fromJson(json("{'type':'news'}"))).isEmpty();
    }

    @Test
    void runRequestIsBothInOneObject() {
        RunRequest run = RunRequest.fromJson(json("{'command':'ls','cpus':1,'env':{'A':'b'}}"));

        assertThat(run.sandbox().cpus()).contains(1);
        assertThat(run.exec().command()).isEqualTo(new ExecRequest.Command.Shell("ls"));
        assertThat(RunRequest.fromJson(again(run.toJson()))).isEqualTo(run);
    }

    @Test
    void terminalFrames() {
        TerminalStart start = new TerminalStart(ExecRequest.argv(List.of("bash")), false, 10, 20);

        assertThat(TerminalStart.fromJson(again(start.toJson()))).isEqualTo(start);
        assertThat(TerminalStart.fromJson(json("{'start':{'command':'x'}}")))
                .isEqualTo(new TerminalStart(ExecRequest.shell("x"), true, 24, 80));
        assertThatThrownBy(() -> TerminalStart.fromJson(json("{}"))).isInstanceOf(JsonShapeException.class);
        for (TerminalControl control : List.of(
                new TerminalControl.Resize(3, 4), new TerminalControl.Signal(2), new TerminalControl.InputEnd())) {
            assertThat(TerminalControl.fromJson(again(control.toJson()))).contains(control);
        }
        assertThat(TerminalControl.fromJson(json("{'dance':1}"))).isEmpty();
    }

    @Test
    void sandboxSummaryKeepsItsCounters() {
        SandboxSummary summary = new SandboxSummary(
                "lab",
                Optional.of("lab"),
                7,
                "Defunct",
                true,
                Optional.of(512),
                Optional.of(1),
                Optional.of("0.1.0"),
                Optional.of("parent"),
                Optional.of("d"),
                Optional.of(9L),
                Optional.of(64),
                Optional.of("default"),
                Optional.of("me"),
                Optional.of("1700000000"),
                Optional.of(3L),
                Optional.of("/work"),
                Optional.of("make test"),
                Optional.of(3),
                Map.of(
                        "total_requests",
                        4L,
                        "process_exec_count",
                        5L,
                        "dropped_events",
                        1L,
                        "exec_audit_missed",
                        2L,
                        "file_watch_gaps",
                        3L),
                Optional.of("Device or resource busy"),
                Optional.of("why"));

        assertThat(SandboxSummary.fromJson(again(summary.toJson()))).isEqualTo(summary);
        assertThat(SandboxSummary.fromJson(json("{'id':'a','status':'Stopped'}"))
                        .counters())
                .isEmpty();
    }

    /// Whatever answered, a person is told something and something to type.
    @Test
    void anErrorWithoutOurMembersStillHasCauseCodeAndRemedy() {
        for (String body : List.of(
                "{}",
                "{'error':'','code':'','remedy':''}",
                "{'url':'/purge','status':'500','message':'java.lang.OutOfMemoryError'}")) {
            ServiceError error = ServiceError.fromJson(json(body));

            assertThat(error.error()).contains("no cause");
            assertThat(error.code()).isEqualTo("no_cause");
            assertThat(error.remedy()).contains("capsem triage");
        }
    }

    @Test
    void answers() {
        ServiceError error = new ServiceError("what", "code", "do");
        assertThat(ServiceError.fromJson(again(error.toJson()))).isEqualTo(error);
        ProvisionReply provisioned =
                new ProvisionReply("lab", "/s", "warm", Optional.of("default"), List.of("a"), List.of(".env"));
        assertThat(ProvisionReply.fromJson(again(provisioned.toJson()))).isEqualTo(provisioned);
        assertThat(ProvisionReply.fromJson(json("{'id':'lab'}")).warnings()).isEmpty();
        ExecReply executed = new ExecReply("o", "e", 1, 2, 3, 4, true, true, Optional.of("m"), List.of("careful"));
        assertThat(ExecReply.fromJson(again(executed.toJson()))).isEqualTo(executed);
        assertThat(StopReply.fromJson(again(new StopReply(true).toJson()))).isEqualTo(new StopReply(true));
        assertThat(SuspendReply.fromJson(again(new SuspendReply("freeze").toJson())))
                .isEqualTo(new SuspendReply("freeze"));
        assertThat(ForkReply.fromJson(again(new ForkReply("n", 5).toJson()))).isEqualTo(new ForkReply("n", 5));
        assertThat(PurgeReply.fromJson(again(new PurgeReply(1, 2).toJson()))).isEqualTo(new PurgeReply(1, 2));
        assertThat(new PurgeReply(1, 2).toJson().path("purged").asInt()).isEqualTo(3);
        LogsReply logs = new LogsReply("s", "p", "x");
        assertThat(LogsReply.fromJson(again(logs.toJson()))).isEqualTo(logs);
        VerifyReply verified = new VerifyReply(false, 3, 1, Map.of("dns.query", 5L), Optional.of("altered"));
        assertThat(VerifyReply.fromJson(again(verified.toJson()))).isEqualTo(verified);
        ApplyRequest apply = new ApplyRequest(List.of("a"), true);
        assertThat(ApplyRequest.fromJson(again(apply.toJson()))).isEqualTo(apply);
        assertThat(ApplyRequest.fromJson(json("{}"))).isEqualTo(new ApplyRequest(List.of(), false));
        ApplyRequest commits = new ApplyRequest(List.of(), false, true, true, Optional.of("c0ffee"));
        assertThat(ApplyRequest.fromJson(again(commits.toJson()))).isEqualTo(commits);
        ApplyReply applied = new ApplyReply(
                List.of("a"),
                List.of(),
                List.of(),
                List.of(),
                List.of("a"),
                List.of(new ApplyReply.Branch(".git", "capsem/lab/main", "c0ffee", 2)),
                Optional.of(new ApplyReply.Kept("/kept", "/p")),
                3,
                List.of("Makefile"));
        assertThat(ApplyReply.fromJson(again(applied.toJson()))).isEqualTo(applied);
        assertThat(ApplyReply.fromJson(json("{'applied':['a']}")))
                .isEqualTo(new ApplyReply(List.of("a"), List.of(), List.of(), List.of()));
        DiffReply diff = new DiffReply(
                "/p",
                List.of(),
                "",
                true,
                1,
                2,
                List.of(new DiffReply.Commits(".git", "main", "c0ffee")),
                List.of(new ApplyReply.PathProblem("Makefile", "an entry point", "name it")),
                List.of("Makefile"),
                "d1ce");
        assertThat(DiffReply.fromJson(again(diff.toJson()))).isEqualTo(diff);
        assertThat(DiffReply.fromJson(json("{'project':'/p','unknown':1}")))
                .isEqualTo(new DiffReply("/p", List.of(), "", false));
        HistoryReply history = new HistoryReply(
                List.of(new HistoryReply.Entry(
                        "t",
                        "exec",
                        "ls",
                        Optional.of(0),
                        Optional.empty(),
                        "o",
                        "e",
                        Json.object().put("k", 1))),
                1,
                false);
        assertThat(HistoryReply.fromJson(again(history.toJson()))).isEqualTo(history);
        StatusReply status = new StatusReply(
                "0.1.0",
                1,
                2,
                "/h",
                "bwrap",
                Map.of("suspend", "freeze"),
                List.of(new StatusReply.Problem("c", "w", "r")),
                Map.of("running", 2L),
                32,
                new StatusReply.Spare(1, 0),
                3,
                4);
        assertThat(StatusReply.fromJson(again(status.toJson()))).isEqualTo(status);
    }

    @Test
    void fileListsAreTrees() {
        FileEntry leaf = new FileEntry("x", "d/x", "file", 1, 2, Optional.of("text/plain"), List.of());
        FileEntry directory = new FileEntry("d", "d", "directory", 0, 3, Optional.empty(), List.of(leaf));

        assertThat(FileEntry.listFromJson(again(FileEntry.listToJson(List.of(directory)))))
                .containsExactly(directory);
        assertThat(directory.isDirectory()).isTrue();
    }
}
