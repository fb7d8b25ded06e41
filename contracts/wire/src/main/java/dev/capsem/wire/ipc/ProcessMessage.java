package dev.capsem.wire.ipc;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// What a capsem-process answers.
public sealed interface ProcessMessage {
    /// How a start goes: [BootStage]s, then [Assigned] or [Failed].
    sealed interface StartReply extends ProcessMessage {}

    /// What becomes of a command: [Started], [Output]s, [Exited]; or [Failed].
    sealed interface ExecReply extends ProcessMessage {}

    /// What an approver hears.
    sealed interface ApprovalMessage extends ProcessMessage {}

    /// What the keeper of budgets hears.
    sealed interface BudgetMessage extends ProcessMessage {}

    record Hello(int version, String schemaHash, String peer, long pid) implements ProcessMessage {}

    record BootStage(String name, Duration took) implements StartReply {}

    /// The sandbox is ready for commands.
    ///
    /// @param handle the driver's serialized handle (text), kept by the service so that a later one can clean up
    record Assigned(long agentPid, String handle) implements StartReply {}

    /// @param sandbox absent while the process is a spare
    /// @param state Running or Suspended
    /// @param counters what /info and /list show, by their JSON names (total_requests, total_file_events, …)
    /// @param rulesProblem why no rules are in force, so that everything is blocked
    /// @param recordProblem why the record cannot be written, so that nothing new begins
    /// @param auditProblem why no program that starts inside is seen
    record Status(
            Optional<String> sandbox,
            String state,
            long uptimeMillis,
            Map<String, Long> counters,
            long droppedEvents,
            Optional<String> rulesProblem,
            Optional<String> recordProblem,
            Optional<String> auditProblem)
            implements ProcessMessage {
        public Status(
                Optional<String> sandbox,
                String state,
                long uptimeMillis,
                Map<String, Long> counters,
                long droppedEvents) {
            this(
                    sandbox,
                    state,
                    uptimeMillis,
                    counters,
                    droppedEvents,
                    Optional.empty(),
                    Optional.empty(),
                    Optional.empty());
        }

        public Status {
            counters = Map.copyOf(counters);
        }
    }

    record Started(long execId, long guestPid) implements ExecReply {}

    /// @param stream 1 stdout (or terminal), 2 stderr
    record Output(int stream, byte[] data) implements ExecReply {}

    /// @param exitCode as a shell would say it: 128+n for a signal, 124 for our timeout, 127 not found, 126 not
    /// executable
    /// @param stdoutBytes the true size, kept or not
    record Exited(
            int exitCode, Optional<String> message, boolean timedOut, Duration took, long stdoutBytes, long stderrBytes)
            implements ExecReply {}

    record Done() implements ProcessMessage {}

    /// @param kind for example `exec`, `file`, `state`
    /// @param json the event as one JSON object
    record Event(String kind, String json) implements ProcessMessage {}

    /// An exchange is held until a person answers, or until its deadline.
    ///
    /// @param id unique within the process's life
    /// @param rule the id of the rule that asks
    /// @param subject one line for people, such as `GET https://example.org/x`; no header, no body
    /// @param suggestion the rule that would allow this from now on, as TOML; none if no user's rule could
    /// @param details what else the answer covers: printable, bounded, without secrets
    /// @param covers how far each approval reaches
    /// @param waits whether it waits while nobody watches; if not, the service says [ServiceMessage.Unwatched]
    record Question(
            String id,
            String eventType,
            String rule,
            Optional<String> reason,
            String subject,
            Optional<String> processName,
            Optional<String> suggestion,
            long askedAtMillis,
            long deadlineMillis,
            List<Detail> details,
            Covers covers,
            boolean waits)
            implements ApprovalMessage {
        public Question {
            details = List.copyOf(details);
        }
    }

    /// @param name `query`, `body`, `arguments`, `leads to`, …
    /// @param text one line
    record Detail(String name, String text) {}

    /// One sentence for each scope, such as "every GET of https://example.org, until this sandbox ends".
    ///
    /// @param always none if no rule of the user's could allow it
    record Covers(String once, String session, Optional<String> always) {}

    /// The rule that would allow what a question is about from now on, tried on all that will be judged.
    ///
    /// @param rule as TOML; none if no user's rule could
    /// @param obstacle why there is none
    /// @param inside the address that its name leads to, with its class, if that is not public
    /// @param covers what that rule allows, as in [Covers]
    record Prepared(
            String id,
            Optional<String> rule,
            Optional<String> obstacle,
            Optional<String> inside,
            Optional<String> covers)
            implements ApprovalMessage {}

    /// @param outcome approved, denied, timed_out, nobody, withdrawn
    record QuestionOver(String id, String outcome) implements ApprovalMessage {}

    /// A call wants room in budgets. Answer: `BudgetGranted` or `BudgetDenied`.
    ///
    /// @param id unique over all processes and time
    /// @param approved whether a person lets it pass where a budget asks
    record Reserve(String id, List<Claim> claims, boolean approved) implements BudgetMessage {
        public Reserve {
            claims = List.copyOf(claims);
        }
    }

    /// @param unit usd (in millionths), tokens or requests
    record Claim(String budget, String unit, long amount, long unpricedTokens) {}

    /// The call may be sent from now on, or is still under way.
    record Took(String id) implements BudgetMessage {}

    /// The call is over, and came to this. Answer: `BudgetNoted`.
    record Settle(String id, List<Claim> claims) implements BudgetMessage {
        public Settle {
            claims = List.copyOf(claims);
        }
    }

    /// The call was never sent. Answer: `BudgetNoted`.
    record Unspent(String id) implements BudgetMessage {}

    /// @param revision of the profile now in force
    /// @param rules how many are in force
    record Reloaded(String revision, long rules, List<String> warnings) implements ProcessMessage {
        public Reloaded {
            warnings = List.copyOf(warnings);
        }
    }

    /// @param json an object: `generation`, and `rules`, each with id, match_count, last_event_id, last_matched_unix_ms
    record RuleStats(String json) implements ProcessMessage {}

    /// @param json an object: `counters`, `gauges` and `histograms`, by the names of their series
    record Metrics(String json) implements ProcessMessage {}

    /// @param json an object: `servers` and `tools`, as the reference of `GET /mcp/tools/{id}` shows them
    record Tools(String json) implements ProcessMessage {}

    record Failed(FailureCode code, String cause, String remedy) implements StartReply, ExecReply {}
}
