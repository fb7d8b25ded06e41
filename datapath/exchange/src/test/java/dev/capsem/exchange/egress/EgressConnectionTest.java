package dev.capsem.exchange.egress;

import dev.capsem.events.security.Body;
import dev.capsem.events.security.Headers;
import dev.capsem.events.security.SecurityEvent.HttpRequest;
import dev.capsem.exchange.Awaited;
import dev.capsem.exchange.Judge;
import dev.capsem.exchange.ScriptedGate;
import dev.capsem.exchange.TranscriptFile;
import dev.capsem.exchange.TranscriptFile.Words;
import java.net.InetAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

final class EgressConnectionTest {
    static Stream<Path> transcripts() {
        return TranscriptFile.in("egress");
    }

    @ParameterizedTest
    @MethodSource("transcripts")
    void isAsItsTranscriptSays(Path transcript) {
        TranscriptFile.perform(transcript, new EgressPlay());
    }

    private static final class EgressPlay implements TranscriptFile.Play {
        private final ScriptedGate gate = new ScriptedGate("http", event -> event);
        private @Nullable EgressConnection connection;

        @Override
        public void given(Words words) {
            switch (words.first()) {
                case "rules" -> gate.says(words);
                case "asker" ->
                    connection = new EgressConnection(
                            new Judge(gate),
                            EgressConnection.Asker.valueOf(words.at(1).toUpperCase(Locale.ROOT)));
                default -> throw new IllegalArgumentException(words.first());
            }
        }

        @Override
        public List<String> on(Words words) {
            EgressConnection playing = connection;
            if (playing == null) {
                throw new IllegalArgumentException("= asker comes first");
            }
            return List.of(shown(playing.on(input(words))));
        }

        private static EgressInput input(Words words) {
            return switch (words.first()) {
                case "requested" -> new EgressInput.Requested(words.at(1).equals("granted"));
                case "located" -> new EgressInput.Located(address(words));
                case "not_found" -> new EgressInput.NotFound();
                case "unnamable" -> new EgressInput.Unnamable();
                case "admitted" ->
                    new EgressInput.Admitted(new HttpRequest(
                            ScriptedGate.ENVELOPE,
                            "CONNECT",
                            "https",
                            "api.example.test",
                            443,
                            "/",
                            Optional.empty(),
                            Headers.NONE,
                            Body.NONE,
                            address(words)));
                case "not_admitted" -> new EgressInput.NotAdmitted();
                case "approved", "denied" -> new EgressInput.Waited(new Awaited.Answered(ScriptedGate.answer(words)));
                case "too_late" -> new EgressInput.Waited(new Awaited.TooLate(Duration.ofSeconds(50)));
                case "recorded" -> new EgressInput.Recorded();
                case "not_recorded" -> new EgressInput.NotRecorded();
                default -> throw new IllegalArgumentException(words.first());
            };
        }

        private static Optional<InetAddress> address(Words words) {
            return words.has(1) ? Optional.of(InetAddress.ofLiteral(words.at(1))) : Optional.empty();
        }

        private static String shown(EgressAction action) {
            return switch (action) {
                case EgressAction.Locate _ -> "locate it";
                case EgressAction.Admit _ -> "ask the record for room";
                case EgressAction.AskPerson(var _, var question) -> "ask a person: " + ScriptedGate.shown(question);
                case EgressAction.PutOnRecord(var _, var evaluation) -> "record: " + ScriptedGate.shown(evaluation);
                case EgressAction.Connect _ -> "connect";
                case EgressAction.Reject _ -> "reject";
                case EgressAction.RejectAndNote _ -> "reject, and note that it was not granted";
            };
        }
    }
}
