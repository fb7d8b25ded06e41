package dev.capsem.exchange.command;

import dev.capsem.events.Admission;
import dev.capsem.events.security.BlockCause;
import dev.capsem.events.security.Evaluation;
import dev.capsem.events.security.RuleId;
import dev.capsem.events.security.SecurityEvent.ProcessExec;
import dev.capsem.exchange.command.CommandAction.Code;
import dev.capsem.exchange.command.CommandAction.Fail;
import java.util.List;
import java.util.Optional;

/// The answer about a command that did not run, or that waited for people in vain.
final class CommandRefusal {
    private static final int SHOWN_MAX = 3;

    private CommandRefusal() {}

    static Fail unrecorded(Admission.Refused refused) {
        return new Fail(Code.RECORD_UNAVAILABLE, refused.reason(), refused.remedy());
    }

    static Fail tooMany(int execsMax) {
        return new Fail(
                Code.TOO_MANY_EXECS,
                "this sandbox already runs " + execsMax + " commands",
                "wait for one of them to end");
    }

    static Fail unsendable(String reason) {
        return new Fail(Code.BAD_COMMAND, "the command cannot be sent: " + reason, "shorten it, and send no NUL");
    }

    static Fail gone(String reason) {
        return new Fail(Code.SANDBOX_GONE, reason, "see its logs; start it again");
    }

    /// @param problem why no rules are in force
    /// @param mayStillCome whether the rules are still being read
    static Fail blocked(ProcessExec command, Evaluation blocked, Optional<String> problem, boolean mayStillCome) {
        String sandbox = sandbox(command);
        String reason = blocked.reason().map(text -> ": " + text).orElse("");
        BlockCause cause =
                blocked.outcome() instanceof Evaluation.Blocked(BlockCause why) ? why : BlockCause.ENGINE_FAILURE;
        String why = "see why, and what would allow it: capsem rules why " + sandbox;
        return switch (cause) {
            case RULE -> blocked(rule(blocked) + " blocks this command" + reason, why);
            case NOT_APPROVED ->
                blocked(
                        rule(blocked) + " asks a person before this command" + reason,
                        "answer it next time (capsem approvals --watch), or allow it: capsem rules why " + sandbox
                                + " --toml | capsem rules add -");
            case NO_RULES ->
                blocked(
                        "every command is blocked" + reason
                                + problem.map(text -> " (" + text + ")").orElse(""),
                        mayStillCome
                                ? "this machine is busy: run the command again"
                                : "correct the profile (capsem profiles validate) and reload it");
            case NO_RULE_MATCHED,
                    RULE_FAILED,
                    RULE_TOO_COSTLY,
                    BUDGET_EXCEEDED,
                    BODY_TOO_LARGE,
                    BODY_UNREAD,
                    INSPECTION_FULL,
                    REWRITE_FAILED,
                    TOOL_GONE,
                    TOOL_CHANGED,
                    SERVER_AWAY,
                    PRIVATE_ADDRESS,
                    UNSUPPORTED,
                    MALFORMED_TRAFFIC,
                    AMBIGUOUS_PATH,
                    AMBIGUOUS_BODY,
                    PLACEHOLDER_LEAK,
                    SECRET_UNAVAILABLE,
                    SECRET_IN_RESPONSE,
                    ENGINE_FAILURE -> blocked("this command is blocked" + reason, why);
        };
    }

    /// Which questions nobody answered while a command ran; empty if there were none.
    static Optional<String> unanswered(List<String> questions, ProcessExec command) {
        if (questions.isEmpty()) {
            return Optional.empty();
        }
        String more = questions.size() > SHOWN_MAX ? "; and " + (questions.size() - SHOWN_MAX) + " more" : "";
        return Optional.of("nobody answered while it ran: "
                + String.join("; ", questions.subList(0, Math.min(SHOWN_MAX, questions.size()))) + more
                + ". Start `capsem approvals --watch` and run it again, or see what would allow it: capsem rules why "
                + sandbox(command));
    }

    private static String sandbox(ProcessExec command) {
        return command.envelope().attribution().sandboxId().orElse("SANDBOX");
    }

    private static String rule(Evaluation blocked) {
        return blocked.rule().map(RuleId::value).orElse("a rule");
    }

    private static Fail blocked(String cause, String remedy) {
        return new Fail(Code.BLOCKED, cause, remedy);
    }
}
