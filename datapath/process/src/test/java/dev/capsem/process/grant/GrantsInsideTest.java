package dev.capsem.process.grant;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.broker.Grants;
import dev.capsem.process.grant.SessionGrants.FileInside;
import dev.capsem.process.guest.AgentSession;
import dev.capsem.process.guest.ExecAudit;
import dev.capsem.process.guest.FakeAgent;
import dev.capsem.wire.guest.ExecId;
import dev.capsem.wire.guest.HostMessage;
import dev.capsem.wire.guest.OutputStreamName;
import dev.capsem.wire.io.TaskScope;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class GrantsInsideTest {
    private static final FileInside NETRC =
            new FileInside("/root/.netrc", "password new-stand-in\n", Optional.of("password old-stand-in\n"));
    private static final int NOT_FOUND = 2;

    private final FakeAgent agent = new FakeAgent();
    private final TaskScope scope = new TaskScope("test", (thread, failure) -> {});
    private final AgentSession session = new AgentSession(
            agent.hostConnections(), 0, new ExecAudit(InstantSource.system(), (at, rows) -> {}, reason -> {}));
    private final GrantsInside inside = new GrantsInside(
            session, () -> new SessionGrants(Grants.NONE, Map.of(), List.of(NETRC), Optional.empty()), Set.of());

    GrantsInsideTest() throws IOException {}

    @BeforeEach
    void start() {
        session.start(scope, reason -> {});
    }

    @AfterEach
    void end() throws IOException {
        session.close();
        agent.close();
        scope.close();
    }

    @Test
    void writesAFileThatIsNotThere() throws Exception {
        Future<Boolean> placed = place();
        answerRead(NOT_FOUND, "");

        assertWritten(placed);
    }

    @Test
    void replacesTheFileOfTheParentInAFork() throws Exception {
        Future<Boolean> placed = place();
        answerRead(0, "password old-stand-in\n");

        assertWritten(placed);
    }

    @Test
    void leavesAFileOfSomebodyElseAsItIs() throws Exception {
        Future<Boolean> placed = place();
        answerRead(0, "password my-own\n");

        assertThat(placed.get()).isTrue();
        assertThat(session.running()).isZero();
    }

    @Test
    void leavesAFileThatIsThereAlready() throws Exception {
        Future<Boolean> placed = place();
        answerRead(0, NETRC.text());

        assertThat(placed.get()).isTrue();
    }

    @Test
    void leavesWhatCannotBeRead() throws Exception {
        Future<Boolean> placed = place();
        answerRead(3, "");

        assertThat(placed.get()).isTrue();
    }

    private Future<Boolean> place() {
        return scope.fork(() -> {
            inside.placeFiles();
            return true;
        });
    }

    private void answerRead(int exitCode, String content) throws Exception {
        HostMessage.Exec read = agent.nextExec();
        assertThat(read.argv()).startsWith("file-read", "/root/.netrc");
        finish(read.id(), exitCode, content);
    }

    private void assertWritten(Future<Boolean> placed) throws Exception {
        HostMessage.Exec write = agent.nextExec();
        assertThat(write.argv()).containsExactly("file-write", "/root/.netrc", "600");
        agent.started(write.id());
        HostMessage input = nextInput();
        assertThat(input)
                .isInstanceOfSatisfying(
                        HostMessage.Input.class,
                        data -> assertThat(new String(data.data(), StandardCharsets.UTF_8))
                                .isEqualTo(NETRC.text()));
        agent.outputEnds(write.id());
        agent.exited(write.id(), 0);
        assertThat(placed.get()).isTrue();
    }

    /// Credit for what was read may come first.
    private HostMessage nextInput() throws IOException {
        HostMessage next = agent.nextData();
        while (next instanceof HostMessage.OutputCredit) {
            next = agent.nextData();
        }
        return next;
    }

    private void finish(ExecId id, int exitCode, String content) throws Exception {
        agent.started(id);
        if (!content.isEmpty()) {
            agent.output(id, OutputStreamName.STDOUT, content.getBytes(StandardCharsets.UTF_8));
        }
        agent.outputEnds(id);
        agent.exited(id, exitCode);
    }
}
