package dev.capsem.process.guest;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.wire.guest.ExecId;
import dev.capsem.wire.guest.GuestMessage;
import dev.capsem.wire.guest.GuestProtocol;
import dev.capsem.wire.guest.HostMessage;
import dev.capsem.wire.guest.OutputStreamName;
import dev.capsem.wire.io.TaskScope;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
final class AgentSessionTest {
    private final BlockingQueue<String> lost = new LinkedBlockingQueue<>();
    private final FakeAgent agent = new FakeAgent();
    private final TaskScope scope = new TaskScope("test", (thread, failure) -> lost.add("bug: " + failure));
    private final AgentSession session = new AgentSession(
            agent.hostConnections(), 0, new ExecAudit(InstantSource.system(), (at, rows) -> {}, reason -> {}));

    AgentSessionTest() throws IOException {}

    @BeforeEach
    void start() {
        session.start(scope, lost::add);
    }

    @AfterEach
    void end() throws IOException {
        session.close();
        agent.close();
        scope.close();
    }

    @Test
    void runsACommandFromRequestToExit() throws Exception {
        GuestExec exec = open(command("echo", "hi"));
        ExecId id = agent.nextExec().id();
        agent.started(id);
        agent.output(id, OutputStreamName.STDOUT, bytes("hi\n"));
        agent.outputEnds(id);
        agent.exited(id, 3);

        assertThat(exec.next()).isEqualTo(new GuestExecEvent.Started(17));
        assertThat(output(exec.next())).isEqualTo("hi\n");
        assertThat(exec.next()).isEqualTo(new GuestExecEvent.Over(3, Optional.empty(), 3, 0));
        assertThat(session.running()).isZero();
    }

    @Test
    void anAgentThatTurnsItsAuditOffTwiceBreaksTheProtocol() throws Exception {
        agent.sayControl(new GuestMessage.ExecAuditOff("busy"));
        agent.sayControl(new GuestMessage.ExecAuditOff("busy"));

        assertThat(lost.take()).contains("ExecAuditOff came twice");
    }

    @Test
    void waitsForOutputThatComesAfterTheExit() throws Exception {
        GuestExec exec = open(command("late"));
        ExecId id = agent.nextExec().id();
        agent.started(id);
        agent.exited(id, 0);
        assertThat(exec.next()).isInstanceOf(GuestExecEvent.Started.class);

        agent.output(id, OutputStreamName.STDERR, bytes("late"));
        agent.outputEnds(id);

        assertThat(output(exec.next())).isEqualTo("late");
        assertThat(exec.next()).isEqualTo(new GuestExecEvent.Over(0, Optional.empty(), 0, 4));
    }

    @Test
    void givesEachCallerItsOwnOutputWhateverTheOrder() throws Exception {
        int count = 100;
        List<GuestExec> execs = new ArrayList<>();
        List<ExecId> ids = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            execs.add(open(command("number", Integer.toString(i))));
            ids.add(agent.nextExec().id());
        }

        long seed = System.nanoTime();
        List<ExecId> shuffled = new ArrayList<>(ids);
        Collections.shuffle(shuffled, new Random(seed));
        for (ExecId id : shuffled) {
            agent.exited(id, 0);
            agent.output(id, OutputStreamName.STDOUT, bytes("output of " + id));
            agent.outputEnds(id);
        }

        for (int i = 0; i < count; i++) {
            assertThat(output(execs.get(i).next())).as("seed %d", seed).isEqualTo("output of " + ids.get(i));
            assertThat(execs.get(i).next()).isInstanceOf(GuestExecEvent.Over.class);
        }
    }

    @Test
    void creditGoesBackOnlyWhenOutputWasDealtWith() throws Exception {
        GuestExec exec = open(command("cat"));
        ExecId id = agent.nextExec().id();
        agent.started(id);
        assertThat(exec.next()).isInstanceOf(GuestExecEvent.Started.class);
        byte[] block = new byte[GuestProtocol.DATA_BYTES_MAX];
        agent.output(id, OutputStreamName.STDOUT, block);
        assertThat(exec.next()).isInstanceOf(GuestExecEvent.Output.class);

        agent.output(id, OutputStreamName.STDERR, bytes("more"));
        assertThat(output(exec.next())).isEqualTo("more");

        assertThat(agent.nextData()).isEqualTo(new HostMessage.OutputCredit(id, block.length));
    }

    @Test
    void whatIsNotKeptIsCountedAndCreditedButNeverHeld() throws Exception {
        GuestExec exec = open(new GuestExecRequest(
                GuestExecRequest.Kind.COMMAND, List.of("yes"), "", List.of(), false, Optional.empty(), 10));
        ExecId id = agent.nextExec().id();
        byte[] block = new byte[GuestProtocol.DATA_BYTES_MAX];
        int blocks = 200;
        Thread guest = Thread.ofVirtual().start(() -> {
            try {
                long credit = GuestProtocol.CREDIT_BYTES_INITIAL;
                for (int i = 0; i < blocks; i++) {
                    while (credit < block.length) {
                        credit += ((HostMessage.OutputCredit) agent.nextData()).bytes();
                    }
                    agent.output(id, OutputStreamName.STDOUT, block);
                    credit -= block.length;
                }
                agent.outputEnds(id);
                agent.exited(id, 0);
            } catch (IOException e) {
                lost.add("fake agent: " + e);
            }
        });

        long taken = 0;
        GuestExecEvent happening = exec.next();
        while (happening instanceof GuestExecEvent.Output(OutputStreamName stream, byte[] data)) {
            taken += data.length;
            happening = exec.next();
        }
        guest.join();

        assertThat(taken).isEqualTo(10);
        assertThat(happening).isEqualTo(new GuestExecEvent.Over(0, Optional.empty(), (long) blocks * block.length, 0));
        assertThat(lost).isEmpty();
    }

    @Test
    void aGuestThatSendsWithoutCreditLosesItsSandbox() throws Exception {
        GuestExec exec = open(command("flood"));
        ExecId id = agent.nextExec().id();
        byte[] block = new byte[GuestProtocol.DATA_BYTES_MAX];
        for (int i = 0; i < GuestProtocol.CREDIT_BYTES_INITIAL / block.length; i++) {
            agent.output(id, OutputStreamName.STDOUT, block);
        }
        agent.output(id, OutputStreamName.STDOUT, new byte[1]);

        assertThat(lost.take()).contains("without credit");
        GuestExecEvent happening = exec.next();
        while (happening instanceof GuestExecEvent.Output) {
            happening = exec.next();
        }
        assertThat(happening).isInstanceOf(GuestExecEvent.Lost.class);
    }

    @Test
    void inputNeverExceedsTheGuestsCredit() throws Exception {
        GuestExec exec = open(command("cat"));
        ExecId id = agent.nextExec().id();
        agent.started(id);
        assertThat(exec.next()).isInstanceOf(GuestExecEvent.Started.class);
        byte[] data = new byte[GuestProtocol.CREDIT_BYTES_INITIAL + 10];

        int sent = 0;
        int more;
        do {
            more = exec.input(data, sent, Duration.ofMillis(1));
            sent += more;
        } while (more > 0);
        assertThat(sent).isEqualTo(GuestProtocol.CREDIT_BYTES_INITIAL);

        agent.sayData(new GuestMessage.InputCredit(id, 4));
        assertThat(exec.input(data, sent, Duration.ofSeconds(60))).isEqualTo(4);
    }

    @Test
    void outputDoesNotOvertakeItsCommand() throws Exception {
        for (int round = 0; round < 50; round++) {
            GuestExec exec = open(command("echo"));
            ExecId id = agent.nextExec().id();
            FutureTask<GuestExecEvent> first = new FutureTask<>(exec::next);
            Thread.startVirtualThread(first);

            agent.output(id, OutputStreamName.STDOUT, bytes("early"));
            agent.started(id);

            assertThat(first.get()).isInstanceOf(GuestExecEvent.Started.class);
            assertThat(exec.next()).isInstanceOf(GuestExecEvent.Output.class);
            agent.outputEnds(id);
            agent.exited(id, 0);
            assertThat(exec.next()).isInstanceOf(GuestExecEvent.Over.class);
        }
    }

    @Test
    void inputDoesNotOvertakeItsCommand() throws Exception {
        GuestExec exec = open(command("cat"));
        ExecId id = agent.nextExec().id();

        assertThat(exec.input(bytes("early"), 0, Duration.ofMillis(1))).isZero();
        Thread end = Thread.startVirtualThread(() -> {
            try {
                exec.inputEnd();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        agent.started(id);
        assertThat(exec.next()).isInstanceOf(GuestExecEvent.Started.class);
        end.join();

        assertThat(agent.nextData()).isEqualTo(new HostMessage.InputEnd(id));
    }

    @Test
    void inputForACommandThatEndedIsSwallowed() throws Exception {
        GuestExec exec = open(command("true"));
        ExecId id = agent.nextExec().id();
        agent.outputEnds(id);
        agent.exited(id, 0);
        assertThat(exec.next()).isInstanceOf(GuestExecEvent.Over.class);

        assertThat(exec.input(new byte[1_000_000], 0, Duration.ZERO)).isEqualTo(1_000_000);
    }

    @Test
    void moreInputCreditThanInputIsAViolation() throws Exception {
        open(command("cat"));
        ExecId id = agent.nextExec().id();

        agent.sayData(new GuestMessage.InputCredit(id, 1));

        assertThat(lost.take()).contains("input credit");
    }

    @Test
    void terminalsSpeakOnTheirOwnConnection() throws Exception {
        GuestExec exec = open(new GuestExecRequest(
                GuestExecRequest.Kind.COMMAND,
                List.of("bash"),
                "",
                List.of(),
                true,
                Optional.of(new GuestExecRequest.WindowSize(40, 120)),
                GuestExecRequest.KEEP_ALL));
        HostMessage.Exec request = agent.nextExec();
        assertThat(request.flags()).isEqualTo(HostMessage.FLAG_TERMINAL | HostMessage.FLAG_STDIN);

        agent.started(request.id());
        assertThat(exec.next()).isInstanceOf(GuestExecEvent.Started.class);
        exec.input(bytes("ls\n"), 0, Duration.ZERO);
        exec.resize(25, 80);
        agent.sayTerminal(new GuestMessage.Output(request.id(), OutputStreamName.STDOUT, bytes("$ ")));
        agent.sayTerminal(new GuestMessage.OutputEnd(request.id(), OutputStreamName.STDOUT));
        agent.exited(request.id(), 0);

        assertThat(agent.nextTerminal()).isInstanceOf(HostMessage.Input.class);
        assertThat(agent.nextControl()).isEqualTo(new HostMessage.Resize(request.id(), 25, 80));
        assertThat(output(exec.next())).isEqualTo("$ ");
        assertThat(exec.next()).isInstanceOf(GuestExecEvent.Over.class);
    }

    @Test
    void dataOnTheWrongConnectionIsAViolation() throws Exception {
        open(command("cat"));
        ExecId id = agent.nextExec().id();

        agent.sayTerminal(new GuestMessage.Output(id, OutputStreamName.STDOUT, bytes("x")));

        assertThat(lost.take()).contains("wrong connection");
    }

    @Test
    void controlMessagesOnADataConnectionAreAViolation() throws Exception {
        agent.sayData(new GuestMessage.Started(new ExecId(1), 1));

        assertThat(lost.take()).contains("data connection");
    }

    @Test
    void theEndOfOneConnectionEndsAllCommandsOnce() throws Exception {
        GuestExec first = open(command("a"));
        GuestExec second = open(command("b"));
        agent.nextExec();
        agent.nextExec();

        agent.closeControl();

        assertThat(first.next()).isInstanceOf(GuestExecEvent.Lost.class);
        assertThat(second.next()).isInstanceOf(GuestExecEvent.Lost.class);
        assertThat(lost.take()).contains("closed a connection");
        assertThat(lost).isEmpty();
        assertThat(session.open(command("c"))).isInstanceOf(AgentSession.Opened.Gone.class);
    }

    @Test
    void aCommandThatCannotStartNeedsNoOutputEnd() throws Exception {
        GuestExec exec = open(command("/nowhere"));
        ExecId id = agent.nextExec().id();

        agent.sayControl(new GuestMessage.Exited(id, GuestMessage.How.NOT_STARTED, 2, 0, 0, "no such file"));

        assertThat(exec.next()).isEqualTo(new GuestExecEvent.Over(127, Optional.of("no such file"), 0, 0));
    }

    @Test
    void aSignalIsTheShellsExitCode() throws Exception {
        GuestExec exec = open(command("sleep"));
        ExecId id = agent.nextExec().id();
        exec.kill();
        assertThat(agent.nextControl()).isEqualTo(new HostMessage.Signal(id, 9));

        agent.outputEnds(id);
        agent.sayControl(new GuestMessage.Exited(id, GuestMessage.How.SIGNALED, 9, 0, 0, ""));

        assertThat(exec.next()).isEqualTo(new GuestExecEvent.Over(137, Optional.empty(), 0, 0));
    }

    @Test
    void lateMessagesForAnEndedCommandAreIgnored() throws Exception {
        GuestExec exec = open(command("true"));
        ExecId id = agent.nextExec().id();
        agent.outputEnds(id);
        agent.exited(id, 0);
        assertThat(exec.next()).isInstanceOf(GuestExecEvent.Over.class);

        agent.sayData(new GuestMessage.OutputEnd(id, OutputStreamName.STDOUT));
        GuestExec next = open(command("true"));
        ExecId nextId = agent.nextExec().id();
        agent.outputEnds(nextId);
        agent.exited(nextId, 0);

        assertThat(next.next()).isInstanceOf(GuestExecEvent.Over.class);
        assertThat(lost).isEmpty();
    }

    @Test
    void refusesMoreCommandsThanItHasRoomFor() throws Exception {
        for (int i = 0; i < AgentSession.EXECS_MAX; i++) {
            open(command("sleep"));
            agent.nextExec();
        }

        assertThat(session.open(command("one more"))).isInstanceOf(AgentSession.Opened.TooMany.class);
    }

    @Test
    void aCommandThatFitsIntoNoFrameTakesNoPlace() {
        AgentSession.Opened opened = session.open(command("x".repeat(GuestProtocol.FRAME_LENGTH_MAX)));

        assertThat(opened).isInstanceOf(AgentSession.Opened.Unsendable.class);
        assertThat(session.open(command("nul\0"))).isInstanceOf(AgentSession.Opened.Unsendable.class);
        assertThat(session.running()).isZero();
    }

    @Test
    void discardedOutputIsCreditedAtOnce() throws Exception {
        GuestExec exec = open(command("yes"));
        ExecId id = agent.nextExec().id();
        agent.started(id);
        agent.output(id, OutputStreamName.STDOUT, new byte[1_000]);
        assertThat(exec.next()).isInstanceOf(GuestExecEvent.Started.class);

        exec.discardOutput();
        agent.output(id, OutputStreamName.STDOUT, new byte[500]);
        agent.outputEnds(id);
        agent.exited(id, 0);

        assertThat(exec.next()).isEqualTo(new GuestExecEvent.Over(0, Optional.empty(), 1_500, 0));
    }

    private GuestExec open(GuestExecRequest request) {
        AgentSession.Opened opened = session.open(request);
        assertThat(opened).isInstanceOf(AgentSession.Opened.Running.class);
        return ((AgentSession.Opened.Running) opened).exec();
    }

    private static GuestExecRequest command(String... argv) {
        return new GuestExecRequest(
                GuestExecRequest.Kind.COMMAND,
                List.of(argv),
                "",
                List.of(),
                true,
                Optional.empty(),
                GuestExecRequest.KEEP_ALL);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static String output(GuestExecEvent happening) {
        assertThat(happening).isInstanceOf(GuestExecEvent.Output.class);
        return new String(((GuestExecEvent.Output) happening).data(), StandardCharsets.UTF_8);
    }
}
