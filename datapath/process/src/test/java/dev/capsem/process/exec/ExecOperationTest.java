package dev.capsem.process.exec;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.broker.Grants;
import dev.capsem.events.RecordedExchange;
import dev.capsem.events.row.ExecCompletion;
import dev.capsem.events.row.ExecRow;
import dev.capsem.events.row.Step;
import dev.capsem.events.security.Answer;
import dev.capsem.events.security.ApprovalDesk;
import dev.capsem.events.security.Evaluation;
import dev.capsem.events.security.SecurityEvent;
import dev.capsem.events.security.SecurityGate;
import dev.capsem.events.vocabulary.EventType;
import dev.capsem.events.vocabulary.FinalAction;
import dev.capsem.events.vocabulary.StepKind;
import dev.capsem.process.grant.GrantsInside;
import dev.capsem.process.grant.SessionGrants;
import dev.capsem.process.guest.AgentSession;
import dev.capsem.process.guest.ExecAudit;
import dev.capsem.process.guest.FakeAgent;
import dev.capsem.process.guest.GuestExecRequest;
import dev.capsem.process.guest.PipeChannel;
import dev.capsem.process.record.RecordedEvents;
import dev.capsem.process.record.Recorders;
import dev.capsem.process.rules.Rules;
import dev.capsem.security.SecurityEngine;
import dev.capsem.wire.guest.EnvironmentVariable;
import dev.capsem.wire.guest.ExecId;
import dev.capsem.wire.guest.GuestMessage;
import dev.capsem.wire.guest.HostMessage;
import dev.capsem.wire.guest.OutputStreamName;
import dev.capsem.wire.io.FrameChannel;
import dev.capsem.wire.io.IpcConnection;
import dev.capsem.wire.io.IpcException;
import dev.capsem.wire.io.TaskScope;
import dev.capsem.wire.ipc.FailureCode;
import dev.capsem.wire.ipc.IpcProtocol;
import dev.capsem.wire.ipc.ProcessMessage;
import dev.capsem.wire.ipc.ServiceMessage;
import dev.capsem.wire.service.ExecRequest;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
final class ExecOperationTest {
    @TempDir
    private Path directory;

    private final RecordedEvents events = new RecordedEvents();
    private final FakeAgent agent = new FakeAgent();
    private final TaskScope scope = new TaskScope("test", (thread, failure) -> {});
    private final AgentSession session = new AgentSession(
            agent.hostConnections(), 41, new ExecAudit(InstantSource.system(), (at, rows) -> {}, reason -> {}));
    private final PipeChannel.Pair pair = PipeChannel.pair();
    private final FrameChannel<ProcessMessage> service =
            new FrameChannel<>(pair.left(), IpcProtocol::decodeProcess, 4 + IpcProtocol.FRAME_BYTES_MAX);

    private SecurityGate rules = Rules.engine(Rules.ALLOW_COMMANDS);
    private CompletableFuture<?> ready = CompletableFuture.completedFuture(null);
    private UnaryOperator<GuestExecRequest> furnish = UnaryOperator.identity();
    private ApprovalDesk desk = ApprovalDesk.NOBODY;
    private Future<Boolean> running = CompletableFuture.completedFuture(false);

    ExecOperationTest() throws IOException {}

    @BeforeEach
    void start() {
        session.start(scope, reason -> {});
    }

    @AfterEach
    void end() throws IOException {
        session.close();
        agent.close();
        pair.left().close();
        scope.close();
    }

    @Test
    void tellsAndRecordsACommand() throws Exception {
        command(exec(List.of("/usr/bin/python3", "x.py"), Optional.empty(), 0));
        ExecId id = agent.nextExec().id();
        agent.started(id);
        agent.output(id, OutputStreamName.STDERR, bytes("oops"));
        agent.outputEnds(id);
        agent.exited(id, 1);
        running.get();

        assertThat(next()).isEqualTo(new ProcessMessage.Started(42, 17));
        assertThat(text(next())).isEqualTo("2:oops");
        assertThat(next()).isInstanceOfSatisfying(ProcessMessage.Exited.class, exited -> {
            assertThat(exited.exitCode()).isEqualTo(1);
            assertThat(exited.stderrBytes()).isEqualTo(4);
            assertThat(exited.timedOut()).isFalse();
        });
        RecordedExchange began = events.all().getFirst();
        assertThat(began.event().type()).isEqualTo(EventType.PROCESS_EXEC);
        assertThat(began.event().judgement().finalAction()).isEqualTo(FinalAction.CONTINUE);
        assertThat(began.event().process().commandClass()).contains("python");
        assertThat(began.event().correlation().execId()).hasValue(42);
        assertThat(events.rows(ExecRow.class)).singleElement().satisfies(row -> {
            assertThat(row.execId()).isEqualTo(42);
            assertThat(row.command()).isEqualTo("/usr/bin/python3 x.py");
            assertThat(row.source()).isEqualTo(ExecRow.Source.CLI);
            assertThat(row.traceId().orElseThrow().value()).isEqualTo("trace-1");
            assertThat(row.caller().pid()).isEqualTo(OptionalLong.of(17));
        });
        assertThat(events.rows(ExecCompletion.class)).singleElement().satisfies(row -> {
            assertThat(row.exitCode()).isEqualTo(1);
            assertThat(row.stderrPreview()).contains("oops");
            assertThat(row.stdoutPreview()).isEmpty();
        });
    }

    @Test
    void aCommandHasTheStandInsOfItsSandbox() throws Exception {
        SessionGrants grants = new SessionGrants(
                Grants.NONE, Map.of("API_KEY", "stand-in", "MINE", "stand-in"), List.of(), Optional.empty());
        furnish = new GrantsInside(session, () -> grants, Set.of("MINE"))::furnish;

        command(exec(List.of("env"), Optional.empty(), 0));

        assertThat(agent.nextExec().environment()).containsExactly(new EnvironmentVariable("API_KEY", "stand-in"));
    }

    @Test
    void runsNothingThatCannotBeRecorded() throws Exception {
        events.full(true);
        command(exec(List.of("/usr/bin/python3", "x.py"), Optional.empty(), 0));
        running.get();

        assertThat(next()).isInstanceOfSatisfying(ProcessMessage.Failed.class, failed -> {
            assertThat(failed.code()).isEqualTo(FailureCode.RECORD_UNAVAILABLE);
            assertThat(failed.cause()).contains("the disk is full");
            assertThat(failed.remedy()).isEqualTo("free some space");
        });
        assertThat(session.running()).isZero();
        assertThat(events.all()).isEmpty();

        events.full(false);
        command(exec(List.of("/usr/bin/python3", "x.py"), Optional.empty(), 0));
        ExecId id = agent.nextExec().id();
        agent.started(id);
        agent.outputEnds(id);
        agent.exited(id, 0);
        running.get();
        assertThat(events.rows(ExecCompletion.class)).hasSize(1);
        assertThat(events.places()).isZero();
    }

    @Test
    void aTimeoutKillsTheCommandAndSays124() throws Exception {
        command(exec(List.of("sleep"), Optional.of(Duration.ofMillis(20)), 0));
        ExecId id = agent.nextExec().id();
        agent.started(id);

        assertThat(agent.nextControl()).isEqualTo(new HostMessage.Signal(id, 9));
        agent.outputEnds(id);
        agent.sayControl(new GuestMessage.Exited(id, GuestMessage.How.SIGNALED, 9, 0, 0, ""));

        assertThat(next()).isInstanceOf(ProcessMessage.Started.class);
        assertThat(next()).isInstanceOfSatisfying(ProcessMessage.Exited.class, exited -> {
            assertThat(exited.exitCode()).isEqualTo(124);
            assertThat(exited.timedOut()).isTrue();
        });
        assertThat(events.rows(ExecCompletion.class)).singleElement().returns(124, ExecCompletion::exitCode);
    }

    @Test
    void aCommandSaysWhichQuestionsNobodyAnsweredWhileItRan() throws Exception {
        List<String> questions = new CopyOnWriteArrayList<>(List.of("GET https://a.example/"));
        desk = new ApprovalDesk() {
            @Override
            public CompletableFuture<Answer> ask(SecurityEvent event, Evaluation asked) {
                return NOBODY.ask(event, asked);
            }

            @Override
            public List<String> unanswered(Instant since) {
                return List.copyOf(questions);
            }
        };
        command(exec(List.of("sleep"), Optional.of(Duration.ofMillis(20)), 0));
        ExecId id = agent.nextExec().id();
        agent.started(id);
        assertThat(agent.nextControl()).isEqualTo(new HostMessage.Signal(id, 9));
        questions.clear();
        agent.outputEnds(id);
        agent.sayControl(new GuestMessage.Exited(id, GuestMessage.How.SIGNALED, 9, 0, 0, ""));

        assertThat(next()).isInstanceOf(ProcessMessage.Started.class);
        assertThat(next())
                .isInstanceOfSatisfying(
                        ProcessMessage.Exited.class,
                        exited -> assertThat(exited.message())
                                .as("what waited before it was killed")
                                .hasValueSatisfying(text -> assertThat(text)
                                        .contains("nobody answered while it ran: GET https://a.example/.")
                                        .contains("capsem approvals --watch")));
    }

    @Test
    void aCommandsTimeoutCountsWhileItsQuestionWaits() throws Exception {
        rules = Rules.engine(Rules.command("ask", "true", "ask", 1000));
        CompletableFuture<Answer> answer = new CompletableFuture<>();
        desk = (event, evaluation) -> answer;

        command(exec(List.of("make"), Optional.of(Duration.ofSeconds(1)), 0));

        assertThat(next())
                .isInstanceOfSatisfying(
                        ProcessMessage.Failed.class,
                        failed -> assertThat(failed.cause())
                                .contains("still waited for an answer after the command's timeout of 1 seconds"));
        assertThat(answer.isCancelled()).as("the question is withdrawn").isTrue();
        assertThat(session.running()).isZero();
    }

    @Test
    void anAskerThatLeavesKillsItsCommandWhichIsStillRecorded() throws Exception {
        command(exec(List.of("yes"), Optional.empty(), 0));
        ExecId id = agent.nextExec().id();
        agent.started(id);
        assertThat(next()).isInstanceOf(ProcessMessage.Started.class);

        pair.left().close();

        assertThat(agent.nextControl()).isEqualTo(new HostMessage.Signal(id, 9));
        agent.output(id, OutputStreamName.STDOUT, bytes("to nobody"));
        agent.outputEnds(id);
        agent.sayControl(new GuestMessage.Exited(id, GuestMessage.How.SIGNALED, 9, 0, 0, ""));
        running.get();
        assertThat(events.rows(ExecCompletion.class))
                .singleElement()
                .returns(137, ExecCompletion::exitCode)
                .returns(9L, ExecCompletion::stdoutBytes);
        assertThat(session.running()).isZero();
    }

    @Test
    void keepsWhatWasAskedForAndCountsTheRest() throws Exception {
        command(exec(List.of("yes"), Optional.empty(), 5));
        ExecId id = agent.nextExec().id();
        agent.output(id, OutputStreamName.STDOUT, bytes("0123456789"));
        agent.outputEnds(id);
        agent.exited(id, 0);

        assertThat(text(next())).isEqualTo("1:01234");
        assertThat(next())
                .isInstanceOfSatisfying(
                        ProcessMessage.Exited.class,
                        exited -> assertThat(exited.stdoutBytes()).isEqualTo(10));
    }

    @Test
    void passesInputSignalsAndItsEndToTheGuest() throws Exception {
        command(exec(List.of("cat"), Optional.empty(), 0));
        ExecId id = agent.nextExec().id();
        agent.started(id);

        say(new ServiceMessage.Input(bytes("abc")));
        say(new ServiceMessage.InputEnd());
        say(new ServiceMessage.Signal(15));

        assertThat(agent.nextData())
                .isInstanceOfSatisfying(
                        HostMessage.Input.class,
                        input -> assertThat(input.data()).isEqualTo(bytes("abc")));
        assertThat(agent.nextData()).isEqualTo(new HostMessage.InputEnd(id));
        assertThat(agent.nextControl()).isEqualTo(new HostMessage.Signal(id, 15));
    }

    @Test
    void aFileOperationIsNotOnRecord() throws Exception {
        IpcConnection<ServiceMessage, ProcessMessage> asker = asker();
        running = scope.fork(() -> {
            operation().fileOperation(asker, new ServiceMessage.FileOperation(List.of("file-stat", "a"), false));
            return true;
        });
        HostMessage.Exec request = agent.nextExec();
        assertThat(request.flags()).isEqualTo(HostMessage.FLAG_FILE_OPERATION);
        agent.outputEnds(request.id());
        agent.exited(request.id(), 2);
        running.get();

        assertThat(next())
                .isInstanceOfSatisfying(
                        ProcessMessage.Exited.class,
                        exited -> assertThat(exited.exitCode()).isEqualTo(2));
        assertThat(events.all()).isEmpty();
    }

    @Test
    void terminalsAreLogged() throws Exception {
        command(new ServiceMessage.Exec(
                new ExecRequest.Command.Argv(List.of("bash")),
                "",
                Map.of(),
                true,
                Optional.of(new ServiceMessage.Terminal(25, 80)),
                Optional.empty(),
                "shell",
                Optional.empty(),
                0));
        ExecId id = agent.nextExec().id();
        agent.sayTerminal(new GuestMessage.Output(id, OutputStreamName.STDOUT, bytes("$ ")));
        agent.sayTerminal(new GuestMessage.OutputEnd(id, OutputStreamName.STDOUT));
        agent.exited(id, 0);

        assertThat(text(next())).isEqualTo("1:$ ");
        assertThat(next()).isInstanceOf(ProcessMessage.Exited.class);
        assertThat(Files.readString(directory.resolve("pty.log"))).isEqualTo("$ ");
    }

    @Test
    void aCommandWhoseSandboxDiesFailsAndHasNoEndOnRecord() throws Exception {
        command(exec(List.of("sleep"), Optional.empty(), 0));
        ExecId id = agent.nextExec().id();
        agent.started(id);
        assertThat(next()).isInstanceOf(ProcessMessage.Started.class);

        agent.close();

        assertThat(next())
                .isInstanceOfSatisfying(
                        ProcessMessage.Failed.class,
                        failed -> assertThat(failed.code()).isEqualTo(FailureCode.SANDBOX_GONE));
        assertThat(events.rows(ExecCompletion.class)).isEmpty();
    }

    @Test
    void aBlockedCommandNeverReachesTheGuestAndIsOnRecord() throws Exception {
        rules = Rules.engine(
                Rules.command("no_curl", "process.exec.command.startsWith(\"curl\")", "block", 10),
                Rules.ALLOW_COMMANDS);

        operation().command(asker(), line("curl x"));

        assertThat(next())
                .isEqualTo(new ProcessMessage.Failed(
                        FailureCode.BLOCKED,
                        "security.rules.process.no_curl blocks this command: the reason of no_curl",
                        "see why, and what would allow it: capsem rules why brave-otter-tmp"));
        assertThat(session.running()).isZero();
        assertThat(events.all()).singleElement().satisfies(exchange -> {
            assertThat(exchange.rows())
                    .satisfiesExactly(
                            row -> assertThat(((ExecRow) row).command()).isEqualTo("curl x"),
                            row -> assertThat(((ExecCompletion) row).exitCode()).isEqualTo(126));
            assertThat(exchange.event().judgement().finalAction()).isEqualTo(FinalAction.BLOCK);
            assertThat(exchange.event().process().commandClass()).contains("network");
            assertThat(exchange.event().steps())
                    .singleElement()
                    .satisfies(step -> assertThat(step.ruleId()).contains("security.rules.process.no_curl"));
        });
    }

    @Test
    void withoutRulesNothingRuns() throws Exception {
        rules = new SecurityEngine();

        operation().command(asker(), line("make"));

        assertThat(next()).isInstanceOfSatisfying(ProcessMessage.Failed.class, failed -> {
            assertThat(failed.code()).isEqualTo(FailureCode.BLOCKED);
            assertThat(failed.cause()).contains("no valid rules are loaded");
        });
        assertThat(session.running()).isZero();
        assertThat(events.all())
                .singleElement()
                .satisfies(exchange -> assertThat(exchange.event().steps()).hasSize(1));
    }

    @Test
    void nothingRunsIfReadingTheRulesFailed() throws Exception {
        ready = CompletableFuture.failedFuture(new IllegalStateException());

        operation().command(asker(), line("make"));

        assertThat(next())
                .isInstanceOfSatisfying(
                        ProcessMessage.Failed.class,
                        failed -> assertThat(failed.code()).isEqualTo(FailureCode.BLOCKED));
        assertThat(session.running()).isZero();
    }

    @Test
    void anAskWithoutApproverIsABlock() throws Exception {
        rules = Rules.engine(Rules.command("ask", "true", "ask", 1000));

        operation().command(asker(), line("make"));

        assertThat(next()).isInstanceOfSatisfying(ProcessMessage.Failed.class, failed -> {
            assertThat(failed.cause()).contains("security.rules.process.ask").contains("nobody is there");
            assertThat(failed.remedy()).contains("capsem approvals");
        });
        assertThat(session.running()).isZero();
        assertThat(events.all()).singleElement().satisfies(exchange -> {
            assertThat(exchange.event().judgement().finalAction()).isEqualTo(FinalAction.BLOCK);
            assertThat(exchange.event().steps()).extracting(Step::kind).endsWith(StepKind.CONFIRM);
        });
    }

    @Test
    void anApprovedCommandRunsWithItsEarlyInputAndItsAnswerIsOnRecord() throws Exception {
        rules = Rules.engine(Rules.command("ask", "true", "ask", 1000));
        CompletableFuture<Answer> answer = new CompletableFuture<>();
        CompletableFuture<Void> asked = new CompletableFuture<>();
        desk = (event, evaluation) -> {
            asked.complete(null);
            return answer;
        };
        command(exec(List.of("cat"), Optional.empty(), 0));
        asked.join();
        say(new ServiceMessage.Input(bytes("early")));
        assertThat(session.running()).isZero();

        answer.complete(new Answer.Approved(Answer.Scope.ONCE, "cli me"));

        ExecId id = agent.nextExec().id();
        agent.started(id);
        assertThat(agent.nextData())
                .isInstanceOfSatisfying(
                        HostMessage.Input.class,
                        input -> assertThat(input.data()).isEqualTo(bytes("early")));
        agent.outputEnds(id);
        agent.exited(id, 0);
        running.get();
        assertThat(events.all().getFirst().event().judgement().finalAction()).isEqualTo(FinalAction.CONTINUE);
        assertThat(events.all().getFirst().event().steps().getLast().message()).contains("approved by cli me (once)");
    }

    @Test
    void anAskerThatLeavesTakesItsQuestionWithIt() throws Exception {
        rules = Rules.engine(Rules.command("ask", "true", "ask", 1000));
        CompletableFuture<Answer> answer = new CompletableFuture<>();
        desk = (event, evaluation) -> answer;
        command(exec(List.of("cat"), Optional.empty(), 0));

        pair.left().close();

        assertThat(answer.handle((_, _) -> answer.isCancelled()).join()).isTrue();
        try {
            running.get();
        } catch (ExecutionException gone) {
            // Telling of the refusal failed: there is nobody.
            assertThat(gone).hasCauseInstanceOf(IpcException.class);
        }
        assertThat(session.running()).isZero();
        assertThat(events.all())
                .singleElement()
                .satisfies(exchange -> assertThat(
                                exchange.event().steps().getLast().message())
                        .hasValueSatisfying(text -> assertThat(text).startsWith("withdrawn")));
    }

    @Test
    void aCommandThatCannotBeSentIsRefusedWithItsRemedy() throws Exception {
        command(exec(List.of("a\0b"), Optional.empty(), 0));

        assertThat(next())
                .isInstanceOfSatisfying(
                        ProcessMessage.Failed.class,
                        failed -> assertThat(failed.code()).isEqualTo(FailureCode.BAD_COMMAND));
        assertThat(events.all()).isEmpty();
    }

    private ExecOperation operation() {
        CommandGuard commands = new CommandGuard(ready, rules, desk, Optional::empty);
        return new ExecOperation(
                session,
                commands,
                furnish,
                Recorders.into(events),
                new TerminalLog(directory.resolve("pty.log")),
                Recorders.CLOCK);
    }

    private void command(ServiceMessage.Exec request) throws IOException {
        IpcConnection<ServiceMessage, ProcessMessage> asker = asker();
        ExecOperation operation = operation();
        running = scope.fork(() -> {
            operation.command(asker, request);
            return true;
        });
    }

    private static ServiceMessage.Exec exec(List<String> argv, Optional<Duration> timeout, long keep) {
        return new ServiceMessage.Exec(
                new ExecRequest.Command.Argv(argv),
                "",
                Map.of(),
                true,
                Optional.empty(),
                timeout,
                "cli",
                Optional.of("trace-1"),
                keep);
    }

    /// As the service sends a line for the shell.
    private static ServiceMessage.Exec line(String line) {
        return new ServiceMessage.Exec(
                new ExecRequest.Command.Shell(line),
                "",
                Map.of(),
                false,
                Optional.empty(),
                Optional.empty(),
                "api",
                Optional.empty(),
                0);
    }

    /// The process's end of the connection, after both Hellos.
    private IpcConnection<ServiceMessage, ProcessMessage> asker() throws IOException {
        say(new ServiceMessage.Hello(IpcProtocol.VERSION, IpcProtocol.schemaHash(), "test"));
        IpcConnection<ServiceMessage, ProcessMessage> asker = IpcConnection.accept(pair.right(), "test", 1);
        assertThat(next()).isInstanceOf(ProcessMessage.Hello.class);
        return asker;
    }

    private void say(ServiceMessage message) throws IOException {
        service.send(IpcProtocol.encode(message));
    }

    private ProcessMessage next() throws IOException {
        return service.receive().orElseThrow();
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static String text(ProcessMessage message) {
        assertThat(message).isInstanceOf(ProcessMessage.Output.class);
        ProcessMessage.Output output = (ProcessMessage.Output) message;
        return output.stream() + ":" + new String(output.data(), StandardCharsets.UTF_8);
    }
}
