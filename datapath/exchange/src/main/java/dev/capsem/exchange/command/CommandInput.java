package dev.capsem.exchange.command;

import dev.capsem.events.Admission;
import dev.capsem.events.security.Answer;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/// A fact that a [CommandRun] learns.
public sealed interface CommandInput {
    /// The record has room for what becomes of the command.
    record Admitted() implements CommandInput {}

    record NotAdmitted(Admission.Refused refused) implements CommandInput {}

    /// The session's rules were read.
    ///
    /// @param problem why none are in force
    record RulesRead(Optional<String> problem) implements CommandInput {}

    /// The session's rules are not there.
    ///
    /// @param mayStillCome whether they are still being read
    record RulesMissing(String reason, boolean mayStillCome, Optional<String> problem) implements CommandInput {}

    record Answered(Answer answer) implements CommandInput {}

    /// The approval service broke its promise to answer.
    record QuestionFailed() implements CommandInput {}

    record AskerLeft() implements CommandInput {}

    /// @param unanswered questions that nobody answered while the command ran
    record TimedOut(List<String> unanswered) implements CommandInput {
        public TimedOut {
            unanswered = List.copyOf(unanswered);
        }
    }

    /// The command was sent to the guest.
    record Opened(long execId) implements CommandInput {}

    /// @param execsMax commands run already
    record TooMany(int execsMax) implements CommandInput {}

    record Unsendable(String reason) implements CommandInput {}

    record SandboxGone(String reason) implements CommandInput {}

    record Started(long guestPid) implements CommandInput {}

    record Output(CommandOutput output) implements CommandInput {}

    /// The command is over, and all its output came.
    ///
    /// @param message of the guest
    /// @param unanswered questions that nobody answered while the command ran
    record Ended(
            int exitCode,
            Optional<String> message,
            long stdoutBytes,
            long stderrBytes,
            Duration took,
            List<String> unanswered)
            implements CommandInput {
        public Ended {
            unanswered = List.copyOf(unanswered);
        }
    }

    /// The guest does not read its input, so nobody reads from the asker either.
    record InputStuck() implements CommandInput {}
}
