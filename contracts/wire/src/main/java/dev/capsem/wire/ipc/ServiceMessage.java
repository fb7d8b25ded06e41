package dev.capsem.wire.ipc;

import dev.capsem.wire.SandboxId;
import dev.capsem.wire.SandboxSpec;
import dev.capsem.wire.service.ExecRequest;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/// What capsem-service says to a capsem-process. A connection carries [Hello] both ways, then one [Request].
/// Later messages belong to one of four conversations: [ExecInput], [ApprovalReply], [BudgetReply], [Release].
/// Back-pressure is the socket's.
public sealed interface ServiceMessage {
    /// Starts an operation; the answers named with it end it.
    sealed interface Request extends ServiceMessage {}

    /// Starts an operation of a sandbox: `Failed` until there is one.
    sealed interface SandboxRequest extends Request {}

    /// Is answered once, by an `R` or by `Failed`.
    sealed interface Query<R extends ProcessMessage> extends ServiceMessage {
        Class<R> answer();
    }

    /// Answered by `Done`, or by `Failed`.
    sealed interface Order extends Query<ProcessMessage.Done> {
        @Override
        default Class<ProcessMessage.Done> answer() {
            return ProcessMessage.Done.class;
        }
    }

    /// What a running command is told, on the connection of [Exec] or [FileOperation].
    sealed interface ExecInput extends ServiceMessage {}

    /// What an approver says, on the connection of [Attend].
    sealed interface ApprovalReply extends ServiceMessage {}

    /// What the keeper of budgets says, on the connection of [KeepBudgets].
    sealed interface BudgetReply extends ServiceMessage {}

    /// @param schemaHash of both message sets; a different one closes the connection
    record Hello(int version, String schemaHash, String peer) implements ServiceMessage {}

    /// To a spare, once: become this sandbox. Answers: [ProcessMessage.BootStage]*, then `Assigned` or `Failed`.
    /// The process renames its own socket to `instanceSocket` before it answers.
    record Assign(SandboxSpec spec, Path instanceSocket) implements Request {}

    /// Answer: `Status`.
    record GetStatus() implements Request, Query<ProcessMessage.Status> {
        @Override
        public Class<ProcessMessage.Status> answer() {
            return ProcessMessage.Status.class;
        }
    }

    /// Answers: `Started`, `Output`*, `Exited`; or `Failed`. While it runs the service may send [Input], [InputEnd],
    /// [Signal], [Resize] on the same connection; closing the connection early kills the command.
    ///
    /// @param source who asked, for exec_events: api, cli, mcp, run, shell
    /// @param keepBytesMax per stream, how much is sent back as `Output`; the rest is read, counted and dropped.
    ///     0 = all (streaming)
    record Exec(
            ExecRequest.Command command,
            String cwd,
            Map<String, String> environment,
            boolean stdin,
            Optional<Terminal> terminal,
            Optional<Duration> timeout,
            String source,
            Optional<String> traceId,
            long keepBytesMax)
            implements SandboxRequest {
        public Exec {
            environment = Map.copyOf(environment);
        }
    }

    record Terminal(int rows, int columns) {}

    record Input(byte[] data) implements ExecInput {}

    record InputEnd() implements ExecInput {}

    record Signal(int number) implements ExecInput {}

    record Resize(int rows, int columns) implements ExecInput {}

    /// An internal file operation of the agent (`file-read`, `file-write`, `file-list`, `file-stat`), not recorded
    /// as an exec. Answers and follow-ups as for [Exec].
    record FileOperation(List<String> argv, boolean stdin) implements SandboxRequest {
        public FileOperation {
            argv = List.copyOf(argv);
        }
    }

    /// Freeze every process of the sandbox in place. Answer: `Done` or `Failed`.
    record Suspend() implements SandboxRequest, Order {}

    /// Thaw. Answer: `Done` or `Failed`.
    record Resume() implements SandboxRequest, Order {}

    /// Freeze, flush the databases, and hold still until the connection closes or [Release]: a fork copies in between.
    /// Answer: `Done` when still, `Done` again after release.
    record HoldStill() implements SandboxRequest, Order {}

    record Release() implements Order {}

    /// The sandbox was made persistent: close the database, rename the session directory, reopen, answer to the new id.
    /// Answer: `Done` or `Failed`.
    record Relocate(SandboxId newId, Path newSessionDir, Path newInstanceSocket) implements SandboxRequest, Order {}

    /// Graceful end: guest SIGTERM, grace, SIGKILL; drain the database; answer `Done`; exit 0.
    ///
    /// @param limit that it passed, in words: goes on record before it ends
    record Stop(Duration grace, Optional<String> limit) implements SandboxRequest, Order {
        public Stop(Duration grace) {
            this(grace, Optional.empty());
        }
    }

    /// Stream of `Event`s until the connection closes: lifecycle changes and every recorded event, for live views.
    record Subscribe() implements SandboxRequest {}

    /// Somebody is there to answer questions, for as long as this connection is open. Answers: `Question`s and
    /// `QuestionOver`s until it closes; the service sends [Reply] on the same connection. Without such a connection
    /// every question is refused at once; when it closes, what waits is refused.
    record Attend() implements SandboxRequest {}

    /// A person's answer to a `Question`. One that comes too late changes nothing.
    ///
    /// @param scope once, session or always
    /// @param by who answered, for the audit trail
    record Reply(String question, boolean approved, String scope, String by) implements ApprovalReply {}

    /// Nobody watches for the questions of this sandbox: a `Question` that does not wait is refused. On the
    /// connection of [Attend]. Answer: `QuestionOver`.
    record Unwatched(String question) implements ApprovalReply {}

    /// Before a person's "always" is written down: which rule would let what the question is about pass, by its name
    /// and where it leads? On the connection of [Attend]. Answer: `Prepared`, or `QuestionOver` if it is over.
    record Prepare(String question) implements ApprovalReply {}

    /// Somebody keeps the budgets, for as long as this connection is open. The process sends `Reserve`, `Took`,
    /// `Settle` and `Unspent`; the service answers each but `Took` on the same connection. Without such
    /// a connection every call that a budget counts is refused.
    record KeepBudgets() implements SandboxRequest {}

    /// There is room for the call `id`, and it is set aside. Answer: `Took`.
    ///
    /// @param warning what people should know, once
    record BudgetGranted(String id, Optional<String> warning) implements BudgetReply {}

    /// There is no room for the call `id`; nothing is set aside.
    ///
    /// @param asks whether a person may let it pass
    /// @param untilMillis how long until the budget begins anew; absent if time does not help
    record BudgetDenied(
            String id, Optional<String> budget, String reason, String remedy, boolean asks, OptionalLong untilMillis)
            implements BudgetReply {}

    /// `Settle` or `Unspent` is on file.
    record BudgetNoted(String id) implements BudgetReply {}

    /// Read the session's effective profile again and put its rules in force. Answer: `Reloaded` or `Failed`; then the
    /// old rules stay.
    record ReloadConfig() implements SandboxRequest, Query<ProcessMessage.Reloaded> {
        @Override
        public Class<ProcessMessage.Reloaded> answer() {
            return ProcessMessage.Reloaded.class;
        }
    }

    /// Answer: `Metrics`.
    record GetMetrics() implements SandboxRequest, Query<ProcessMessage.Metrics> {
        @Override
        public Class<ProcessMessage.Metrics> answer() {
            return ProcessMessage.Metrics.class;
        }
    }

    /// Answer: `RuleStats`.
    record GetRuleStats() implements SandboxRequest, Query<ProcessMessage.RuleStats> {
        @Override
        public Class<ProcessMessage.RuleStats> answer() {
            return ProcessMessage.RuleStats.class;
        }
    }

    /// The MCP servers and tools of this sandbox; connects to what is not connected yet. Answer: `Tools` or `Failed`.
    record GetTools() implements SandboxRequest, Query<ProcessMessage.Tools> {
        @Override
        public Class<ProcessMessage.Tools> answer() {
            return ProcessMessage.Tools.class;
        }
    }

    /// A person agrees to these tools as they are now. Answer: `Tools`, or `Failed` if one of them is not there.
    ///
    /// @param names as in `Tools`; none = all that wait
    record ApproveTools(List<String> names) implements SandboxRequest, Query<ProcessMessage.Tools> {
        public ApproveTools {
            names = List.copyOf(names);
        }

        @Override
        public Class<ProcessMessage.Tools> answer() {
            return ProcessMessage.Tools.class;
        }
    }
}
