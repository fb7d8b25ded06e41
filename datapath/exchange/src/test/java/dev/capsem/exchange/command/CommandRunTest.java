package dev.capsem.exchange.command;

import dev.capsem.events.Admission;
import dev.capsem.events.row.ExecCompletion;
import dev.capsem.events.security.SecurityEvent.ProcessExec;
import dev.capsem.exchange.Judge;
import dev.capsem.exchange.ScriptedGate;
import dev.capsem.exchange.TranscriptFile;
import dev.capsem.exchange.TranscriptFile.Words;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

final class CommandRunTest {
    static Stream<Path> transcripts() {
        return TranscriptFile.in("command");
    }

    @ParameterizedTest
    @MethodSource("transcripts")
    void isAsItsTranscriptSays(Path transcript) {
        TranscriptFile.perform(transcript, new CommandPlay());
    }

    private static final class CommandPlay implements TranscriptFile.Play {
        private final ScriptedGate gate = new ScriptedGate("process", event -> event);
        private @Nullable CommandRun run;

        @Override
        public void given(Words words) {
            switch (words.first()) {
                case "rules" -> gate.says(words);
                case "command" -> {
                    Optional<Duration> timeout = words.has(2)
                            ? Optional.of(Duration.ofSeconds(Long.parseLong(words.at(2))))
                            : Optional.empty();
                    ProcessExec command =
                            new ProcessExec(ScriptedGate.ENVELOPE, words.at(1), List.of(), Optional.empty());
                    run = CommandRun.command(new Judge(gate), command, timeout);
                }
                case "file_operation" -> run = CommandRun.fileOperation();
                default -> throw new IllegalArgumentException(words.first());
            }
        }

        @Override
        public List<String> on(Words words) {
            CommandRun playing = run;
            if (playing == null) {
                throw new IllegalArgumentException("= command comes first");
            }
            return playing.on(input(words)).stream().map(CommandPlay::shown).toList();
        }

        private static CommandInput input(Words words) {
            return switch (words.first()) {
                case "admitted" -> new CommandInput.Admitted();
                case "not_admitted" -> new CommandInput.NotAdmitted(new Admission.Refused(words.at(1), words.at(2)));
                case "rules_read" ->
                    new CommandInput.RulesRead(words.from(1).stream().findFirst());
                case "rules_missing" ->
                    new CommandInput.RulesMissing(words.at(1), words.at(2).equals("yet"), Optional.empty());
                case "approved", "denied", "no_approver", "queue_full", "withdrawn" ->
                    new CommandInput.Answered(ScriptedGate.answer(words));
                case "question_failed" -> new CommandInput.QuestionFailed();
                case "asker_left" -> new CommandInput.AskerLeft();
                case "timer" -> new CommandInput.TimedOut(words.from(1));
                case "opened" -> new CommandInput.Opened(Long.parseLong(words.at(1)));
                case "too_many" -> new CommandInput.TooMany(Integer.parseInt(words.at(1)));
                case "unsendable" -> new CommandInput.Unsendable(words.at(1));
                case "sandbox_gone" -> new CommandInput.SandboxGone(words.at(1));
                case "started" -> new CommandInput.Started(Long.parseLong(words.at(1)));
                case "stdout", "stderr" ->
                    new CommandInput.Output(new CommandOutput(
                            CommandOutput.Stream.valueOf(words.first().toUpperCase(Locale.ROOT)),
                            words.at(1).getBytes(StandardCharsets.UTF_8)));
                case "ended" ->
                    new CommandInput.Ended(
                            Integer.parseInt(words.at(1)),
                            Optional.of(words.at(2)).filter(message -> !message.equals("-")),
                            Long.parseLong(words.at(3)),
                            Long.parseLong(words.at(4)),
                            Duration.ofMillis(20),
                            words.from(5));
                case "input_stuck" -> new CommandInput.InputStuck();
                default -> throw new IllegalArgumentException(words.first());
            };
        }

        private static String shown(CommandAction action) {
            return switch (action) {
                case CommandAction.AwaitRules _ -> "await rules";
                case CommandAction.AskPerson(var event, var question, var atMost) ->
                    "ask a person: " + event.command() + ", " + ScriptedGate.shown(question)
                            + atMost.map(time -> ", for " + time.toSeconds() + " s at most")
                                    .orElse("");
                case CommandAction.WithdrawQuestion _ -> "withdraw the question";
                case CommandAction.RecordBlocked(var evaluation) ->
                    "record: did not run, " + ScriptedGate.shown(evaluation);
                case CommandAction.Open _ -> "send it to the guest";
                case CommandAction.StartTimer(Duration timeout) -> "start a timer of " + timeout.toSeconds() + " s";
                case CommandAction.RecordStarted(var evaluation, OptionalLong pid) ->
                    "record: started, " + (pid.isPresent() ? "pid " + pid.getAsLong() : "never ran") + ", "
                            + ScriptedGate.shown(evaluation);
                case CommandAction.RecordEnded(ExecCompletion end) ->
                    "record: ended, exec " + end.execId() + ", exit " + end.exitCode() + ", stdout "
                            + end.stdoutBytes()
                            + end.stdoutPreview()
                                    .map(text -> " " + TranscriptFile.quoted(text))
                                    .orElse("")
                            + ", stderr " + end.stderrBytes()
                            + end.stderrPreview()
                                    .map(text -> " " + TranscriptFile.quoted(text))
                                    .orElse("");
                case CommandAction.TellStarted(long pid) -> "tell: started, pid " + pid;
                case CommandAction.TellOutput(CommandOutput output) ->
                    "tell: " + output.stream().name().toLowerCase(Locale.ROOT) + " "
                            + TranscriptFile.quoted(new String(output.data(), StandardCharsets.UTF_8));
                case CommandAction.TellEnded end ->
                    "tell: exit " + end.exitCode() + (end.timedOut() ? ", timed out" : "") + ", stdout "
                            + end.stdoutBytes() + ", stderr " + end.stderrBytes()
                            + end.message()
                                    .map(text -> ", " + TranscriptFile.quoted(text))
                                    .orElse("");
                case CommandAction.Fail(var code, String cause, String remedy) ->
                    "fail: " + code.wireName() + " " + TranscriptFile.quoted(cause) + " "
                            + TranscriptFile.quoted(remedy);
                case CommandAction.DiscardOutput _ -> "discard output";
                case CommandAction.Kill _ -> "kill it";
            };
        }
    }
}
