package dev.capsem.client;

import dev.capsem.wire.service.ApplyReply;
import dev.capsem.wire.service.ApplyRequest;
import dev.capsem.wire.service.DiffReply;
import dev.capsem.wire.service.ExecEvent;
import dev.capsem.wire.service.ExecReply;
import dev.capsem.wire.service.ExecRequest;
import dev.capsem.wire.service.ForkReply;
import dev.capsem.wire.service.HistoryReply;
import dev.capsem.wire.service.LogsReply;
import dev.capsem.wire.service.ProvisionReply;
import dev.capsem.wire.service.ProvisionRequest;
import dev.capsem.wire.service.PurgeReply;
import dev.capsem.wire.service.SandboxSummary;
import dev.capsem.wire.service.StatusReply;
import dev.capsem.wire.service.StopReply;
import dev.capsem.wire.service.SuspendReply;
import dev.capsem.wire.service.TerminalStart;
import dev.capsem.wire.service.VerifyReply;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import java.util.function.Consumer;
import tools.jackson.databind.JsonNode;

/// The service as capsem and capsem-mcp use it: a port, so that both are tested without a service. Every call but
/// [#isRunning] and [#shutdown] starts it when needed, throws `io.ServiceCallException` when it refuses or cannot be
/// reached, and gives up when its thread is interrupted.
public interface SandboxService {
    /// True when somebody answers; never starts anything.
    boolean isRunning();

    /// Ends the service; sandboxes go on and are found again by the next one. Never starts a service.
    void shutdown();

    StatusReply status();

    ProvisionReply provision(ProvisionRequest request);

    List<SandboxSummary> list();

    SandboxSummary sandbox(String id);

    ExecReply exec(String id, ExecRequest request);

    /// Starts a command with a terminal or pipes; bytes flow both ways until it ends.
    GuestCommand start(String id, TerminalStart start);

    byte[] readFile(String id, String path);

    void writeFile(String id, String path, byte[] content);

    StopReply stop(String id);

    SuspendReply suspend(String id);

    ProvisionReply resume(String name);

    String persist(String id, String name);

    ForkReply fork(String id, String name, String description);

    void delete(String id);

    PurgeReply purge(boolean all);

    LogsReply logs(String id);

    String serviceLogs();

    HistoryReply history(String id, int limit, int offset, String search, HistoryReply.Shown shown);

    JsonNode stats();

    VerifyReply verify(String id);

    /// Without what git ignores.
    default DiffReply diff(String id, List<String> paths) {
        return diff(id, paths, false);
    }

    DiffReply diff(String id, List<String> paths, boolean ignored);

    ApplyReply apply(String id, ApplyRequest request);

    /// Routes about rules, profiles, secrets and MCP servers, whose answers each command reads by itself.
    JsonNode get(String target);

    JsonNode post(String target, JsonNode body);

    JsonNode put(String target, byte[] text);

    JsonNode remove(String target);

    /// An answer that may be long, as it comes.
    Download download(String target);

    /// An answer that is plain text.
    String text(String target);

    /// Runs a command at `/exec/{id}` or `/run`; interrupting the thread kills it.
    ///
    /// @param events told everything until the command ended
    void command(String target, ExecRequest request, Consumer<ExecEvent> events);

    /// The events of one sandbox, from now on.
    LiveFeed live(String id);

    /// Also when some sandboxes kept their old rules.
    JsonNode reload();

    /// Questions that wait for an answer, from now on. Its reader counts as an approver once its first change
    /// has come.
    ApprovalFeed approvals();

    /// The same of one sandbox.
    ///
    /// @param answers false if nobody here can answer: then its questions are refused unless somebody else watches
    ApprovalFeed approvals(String sandbox, boolean answers);

    /// Bytes that the service still writes.
    interface Download extends AutoCloseable {
        /// How many there were.
        long writeTo(OutputStream out) throws IOException;

        @Override
        void close();
    }
}
