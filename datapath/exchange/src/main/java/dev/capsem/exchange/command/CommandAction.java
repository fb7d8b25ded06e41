package dev.capsem.exchange.command;

import dev.capsem.events.row.ExecCompletion;
import dev.capsem.events.security.Evaluation;
import dev.capsem.events.security.SecurityEvent.ProcessExec;
import dev.capsem.events.vocabulary.WireNamed;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;

/// A thing that the shell of a [CommandRun] must do.
public sealed interface CommandAction {
    /// The next input is [CommandInput.RulesRead] or [CommandInput.RulesMissing].
    record AwaitRules() implements CommandAction {}

    /// The next input is an answer, or why there is none.
    ///
    /// @param atMost the command's timeout, which counts while it waits
    record AskPerson(ProcessExec event, Evaluation question, Optional<Duration> atMost) implements CommandAction {}

    record WithdrawQuestion() implements CommandAction {}

    /// The command did not run.
    record RecordBlocked(Evaluation evaluation) implements CommandAction {}

    /// Send the command to the guest. The next input says what came of it.
    record Open() implements CommandAction {}

    record StartTimer(Duration timeout) implements CommandAction {}

    /// @param guestPid absent if the command ended without ever running
    record RecordStarted(Evaluation evaluation, OptionalLong guestPid) implements CommandAction {}

    record RecordEnded(ExecCompletion completion) implements CommandAction {}

    record TellStarted(long guestPid) implements CommandAction {}

    record TellOutput(CommandOutput output) implements CommandAction {}

    record TellEnded(
            int exitCode, Optional<String> message, boolean timedOut, Duration took, long stdoutBytes, long stderrBytes)
            implements CommandAction {}

    /// Tell the asker that the command does not run, or not to its end.
    record Fail(Code code, String cause, String remedy) implements CommandAction {}

    /// From now on output is counted and dropped: its reader is gone.
    record DiscardOutput() implements CommandAction {}

    record Kill() implements CommandAction {}

    /// Why a command failed, for programs.
    enum Code implements WireNamed {
        BLOCKED,
        RECORD_UNAVAILABLE,
        TOO_MANY_EXECS,
        BAD_COMMAND,
        SANDBOX_GONE;

        private final String wireName = name().toLowerCase(Locale.ROOT);

        @Override
        public String wireName() {
            return wireName;
        }
    }
}
