package dev.capsem.cli.sandboxes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.cli.CliHarness;
import dev.capsem.cli.CliHarness.Outcome;
import dev.capsem.cli.screen.Screen.Terminals;
import dev.capsem.client.GuestCommand.Event;
import dev.capsem.testkit.service.FakeService;
import dev.capsem.wire.json.Json;
import dev.capsem.wire.service.ApplyReply;
import dev.capsem.wire.service.ApplyReply.PathProblem;
import dev.capsem.wire.service.DiffReply;
import dev.capsem.wire.service.ExecRequest;
import dev.capsem.wire.service.ProvisionRequest;
import dev.capsem.wire.service.SandboxSummary;
import dev.capsem.wire.service.ServiceError;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/// run, exec and shell.
class GuestCommandsTest {
    private static final DiffReply CHANGED =
            new DiffReply("/p", List.of(new DiffReply.Change("a.txt", "modified", 3, 1, Optional.empty())), "…", false);

    @TempDir
    Path root;

    private final CliHarness cli = new CliHarness();
    private final FakeService service = cli.service;

    private Path project() throws IOException {
        Path project = Files.createDirectory(root.resolve("my app"));
        cli.directory = project.toRealPath();
        return project;
    }

    @Test
    void execPassesOutputAndExitCodeThrough() {
        service.output(1, "out\n").output(2, "err\n").exits(7);

        Outcome outcome = cli.run("exec", "lab", "--", "sh", "-c", "…");

        assertThat(outcome).isEqualTo(new Outcome(7, "out\n", "err\n"));
        assertThat(service.started.orElseThrow().tty()).isFalse();
    }

    @Test
    void execPassesStdinThrough() {
        cli.stdin = "line\n".getBytes(StandardCharsets.UTF_8);
        service.waitsForInputEnd = true;
        service.exits(0);

        cli.run("exec", "lab", "--", "cat");

        assertThat(service.input.toString(StandardCharsets.UTF_8)).isEqualTo("line\n");
    }

    @Test
    void aTerminalIsNotReadForACommandWithoutOne() {
        cli.terminals = new Terminals(true, false, false);
        cli.stdin = "typed".getBytes(StandardCharsets.UTF_8);
        service.waitsForInputEnd = true;
        service.exits(0);

        cli.run("exec", "lab", "--", "cat");

        assertThat(service.input.size()).isZero();
    }

    @Test
    void oneQuotedLineIsForTheShell() {
        service.exits(0);

        cli.run("exec", "--cwd", "/tmp", "--timeout", "2m", "-e", "A=b=c", "lab", "ls | wc -l");

        ExecRequest request = service.started.orElseThrow().exec();
        assertThat(request.command()).isEqualTo(new ExecRequest.Command.Shell("ls | wc -l"));
        assertThat(request.cwd()).hasValue("/tmp");
        assertThat(request.timeoutSecs()).hasValue(120);
        assertThat(request.env()).containsEntry("A", "b=c");
    }

    @Test
    void execStartsInTheProjectLikeRun() {
        service.sandboxes.add(SandboxSummary.fromJson(
                Json.object().put("id", "app").put("status", "Running").put("project", "/home/me/my app")));
        service.exits(0).exits(0).exits(0);

        cli.run("exec", "app", "--", "ls");
        assertThat(service.started.orElseThrow().exec().cwd()).hasValue("/root/my app");
        cli.run("exec", "--cwd", "/tmp", "app", "--", "ls");
        assertThat(service.started.orElseThrow().exec().cwd()).hasValue("/tmp");
        cli.run("exec", "lab", "--", "ls");
        assertThat(service.started.orElseThrow().exec().cwd()).isEmpty();
    }

    @Test
    void anOptionAfterTheSandboxIsNoProgram() {
        Outcome outcome = cli.run("exec", "lab", "--cwd", "/x", "--", "ls", "-l");

        assertThat(outcome.exitCode()).isEqualTo(2);
        assertThat(outcome.err()).contains("--cwd").contains("`capsem exec --cwd /x lab -- ls -l`");
        assertThat(service.calls).isEmpty();
    }

    @Test
    void whatIsNotAsAskedForIsSaidAndTheExitCodeStaysTheCommands() {
        service.warnings = List.of("the limit of CPUs is not in force");
        service.exits(7);

        Outcome outcome = cli.run("run", "--cpu", "1", "--", "nproc");

        assertThat(outcome.exitCode()).isEqualTo(7);
        assertThat(outcome.err()).isEqualTo("capsem: warning: the limit of CPUs is not in force\n");
        assertThat(cli.run("create").err()).contains("warning: the limit of CPUs");
        assertThat(cli.run("resume", "lab").err()).contains("warning: the limit of CPUs");
    }

    @Test
    void aProfileCanBeChosenForOneSandbox() {
        service.exits(0);

        cli.run("run", "--profile", "locked-down", "--", "id");
        assertThat(service.provisioned.orElseThrow().profileId()).hasValue("locked-down");
        cli.run("create", "--profile", "observe");
        assertThat(service.provisioned.orElseThrow().profileId()).hasValue("observe");
        cli.run("create");
        assertThat(service.provisioned.orElseThrow().profileId()).isEmpty();
    }

    @Test
    void aShellInASandboxThatIsThereTakesNoOptionsOfANewOne() {
        cli.terminals = new Terminals(true, true, true);

        Outcome outcome = cli.run("shell", "--profile", "observe", "lab");

        assertThat(outcome.exitCode()).isEqualTo(2);
        assertThat(outcome.err()).contains("lab is there already");
    }

    @Test
    void runAsJsonSaysWhatChanged() throws IOException {
        project();
        service.diff = CHANGED;

        Outcome outcome = cli.run("run", "--json", "--workspace", ".", "--", "make");

        assertThat(Json.parse(outcome.out()).has("ignored")).isTrue();
        assertThat(Json.parse(outcome.out()).path("commits").isArray()).isTrue();
        JsonNode change = Json.parse(outcome.out()).path("changes").get(0);
        assertThat(change.path("path").asString()).isEqualTo("a.txt");
        assertThat(Json.parse(cli.run("run", "--json", "--", "make").out()).has("changes"))
                .isFalse();
    }

    @Test
    void variablesWithoutAValueArePassedOn() {
        cli.environment.put("TOKEN", "from here");
        service.exits(0);

        cli.run("exec", "-e", "TOKEN", "lab", "true");

        assertThat(service.started.orElseThrow().exec().env()).containsEntry("TOKEN", "from here");
        assertThat(cli.run("exec", "-e", "MISSING", "lab", "true").exitCode()).isEqualTo(2);
    }

    @Test
    void whyACommandDidNotStartIsSaid() {
        service.events.add(new Event.Exited(127, Optional.of("no such program: nope")));

        Outcome outcome = cli.run("exec", "lab", "nope");

        assertThat(outcome).isEqualTo(new Outcome(127, "", "capsem: no such program: nope\n"));
    }

    @Test
    void aFailureOfOursIsNotTheGuestsExitCode() {
        service.events.add(new Event.Failed(new ServiceError("sandbox not found: lab", "sandbox_not_found", "look")));
        assertThat(cli.run("exec", "lab", "true").exitCode()).isEqualTo(125);

        assertThat(cli.run("exec", "lab", "true").err()).contains("connection_lost");
    }

    @Test
    void execWithoutACommandIsAMistake() {
        assertThat(cli.run("exec", "lab").exitCode()).isEqualTo(2);
        assertThat(cli.run("exec", "lab", "--").exitCode()).isEqualTo(2);
        assertThat(service.calls).isEmpty();
    }

    @Test
    void execAnswersInJson() {
        service.exec = request -> FakeService.reply(3, "out", "err");

        Outcome outcome = cli.run("exec", "--json", "lab", "true");

        assertThat(outcome.exitCode()).isEqualTo(3);
        assertThat(Json.parse(outcome.out()).path("stdout").asString()).isEqualTo("out");
    }

    @Test
    void aTerminalNeedsATerminal() {
        assertThat(cli.run("exec", "-t", "lab", "vi").exitCode()).isEqualTo(2);
        assertThat(cli.run("shell", "lab").err()).contains("needs a terminal");
        assertThat(service.calls).isEmpty();
    }

    @Test
    void runMakesUsesAndDeletes() {
        service.output(1, "hi\n").exits(5);

        Outcome outcome = cli.run("run", "--ram", "1.5g", "--cpu", "2", "-e", "CI=1", "--", "echo", "hi");

        assertThat(outcome).isEqualTo(new Outcome(5, "hi\n", ""));
        assertThat(service.calls)
                .containsExactly(
                        "provision brave-otter-tmp", "start brave-otter-tmp", "close", "delete brave-otter-tmp");
        ProvisionRequest request = service.provisioned.orElseThrow();
        assertThat(request.ramMb()).hasValue(1_536);
        assertThat(request.cpus()).hasValue(2);
        assertThat(request.env()).containsEntry("CI", "1");
        assertThat(request.persistent()).isFalse();
    }

    @Test
    void runDeletesItsSandboxWhenTheCommandCannotRun() {
        service.events.add(new Event.Failed(new ServiceError("no", "x", "y")));

        assertThat(cli.run("run", "true").exitCode()).isEqualTo(125);
        assertThat(service.calls).last().isEqualTo("delete brave-otter-tmp");
    }

    @Test
    void runInAProjectStartsThereAndLeavesNothingWhenNothingChanged() throws IOException {
        Path project = project();
        service.exits(0);

        Outcome outcome = cli.run("run", "--workspace", ".", "true");

        ProvisionRequest request = service.provisioned.orElseThrow();
        assertThat(request.project())
                .hasValue(new ProvisionRequest.ProjectMount(project.toRealPath().toString(), false));
        assertThat(request.persistent()).isTrue();
        assertThat(request.name().orElseThrow()).matches("my-app-[a-z2-9]{5}");
        assertThat(service.started.orElseThrow().exec().cwd()).hasValue("/root/my app");
        assertThat(service.calls).last().asString().startsWith("delete my-app-");
        assertThat(outcome.err()).isEmpty();
    }

    @Test
    void runKeepsASandboxThatChangedTheProject() throws IOException {
        project();
        service.diff = CHANGED;
        service.exits(4);

        Outcome outcome = cli.run("run", "--workspace", ".", "--name", "fix", "true");

        assertThat(outcome.exitCode()).isEqualTo(4);
        assertThat(service.calls).containsExactly("provision fix", "start fix", "close", "stop fix");
        assertThat(outcome.err()).isEqualTo("""
                capsem: your project is as it was; the copy has 1 file changed, +3 −1
                  see them    capsem diff fix
                  bring back  capsem apply fix [PATH…]
                  discard     capsem delete fix
                """);
    }

    @Test
    void runDiscardsChangesWhenTold() throws IOException {
        project();
        service.diff = CHANGED;
        service.exits(0);

        cli.run("run", "--workspace", ".", "--rm", "true");

        assertThat(service.provisioned.orElseThrow().persistent()).isFalse();
        assertThat(service.calls).last().isEqualTo("delete brave-otter-tmp");
    }

    @Test
    void runBringsChangesBackWhenTheCommandSucceeded() throws IOException {
        project();
        service.diff = CHANGED;
        service.applied = new ApplyReply(List.of("a.txt"), List.of(), List.of(), List.of());
        service.exits(0);

        Outcome outcome = cli.run("run", "--workspace", ".", "--apply", "--name", "fix", "true");

        assertThat(outcome.exitCode()).isZero();
        assertThat(service.calls).containsExactly("provision fix", "start fix", "close", "apply fix []", "delete fix");
    }

    @Test
    void runBringsNothingBackWhenTheCommandFailed() throws IOException {
        project();
        service.diff = CHANGED;
        service.exits(1);

        cli.run("run", "--workspace", ".", "--apply", "--name", "fix", "true");

        assertThat(service.calls).containsExactly("provision fix", "start fix", "close", "stop fix");
    }

    @Test
    void runKeepsTheSandboxWhenApplyIsRefused() throws IOException {
        project();
        service.diff = CHANGED;
        service.applied = new ApplyReply(
                List.of(),
                List.of(new PathProblem("a.txt", "changed in the original", "capsem apply ID --force")),
                List.of(),
                List.of());
        service.exits(0);

        Outcome outcome = cli.run("run", "--workspace", ".", "--apply", "--name", "fix", "true");

        assertThat(outcome.exitCode()).isEqualTo(125);
        assertThat(outcome.err()).contains("a.txt: changed in the original").contains("capsem apply fix --force");
        assertThat(service.calls).last().isEqualTo("stop fix");
    }

    @Test
    void aDirectBindIsNotKept() throws IOException {
        project();
        service.diff = CHANGED;
        service.exits(0);

        cli.run("run", "--workspace", ".", "--rw", "true");

        assertThat(service.provisioned.orElseThrow().project().orElseThrow().rw())
                .isTrue();
        assertThat(service.calls).last().isEqualTo("delete brave-otter-tmp");
    }

    @Test
    void aProjectThatIsNotThereIsAMistake() {
        cli.directory = root;

        assertThat(cli.run("run", "--workspace", "nope", "true").exitCode()).isEqualTo(2);
        assertThat(cli.run("run", "--workspace", "/", "true").exitCode()).isEqualTo(2);
        assertThat(cli.run("run", "--rw", "true").err()).contains("--workspace");
        assertThat(service.calls).isEmpty();
    }

    @Test
    void amountsThatMakeNoSenseAreMistakes() {
        assertThat(cli.run("run", "--ram", "lots", "true").exitCode()).isEqualTo(2);
        assertThat(cli.run("run", "--timeout", "5 parsecs", "true").exitCode()).isEqualTo(2);
        assertThat(cli.run("run", "--cpu", "two", "true").exitCode()).isEqualTo(2);
        assertThat(service.calls).isEmpty();
    }
}
