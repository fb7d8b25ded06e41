package dev.capsem.exchange.websocket;

import dev.capsem.events.Admission;
import dev.capsem.events.security.Body;
import dev.capsem.events.security.Evaluation;
import dev.capsem.events.security.Headers;
import dev.capsem.events.security.SecurityEvent;
import dev.capsem.events.security.SecurityEvent.HttpRequest;
import dev.capsem.events.security.SecurityEvent.HttpResponse;
import dev.capsem.exchange.ScriptedGate;
import dev.capsem.exchange.TranscriptFile;
import dev.capsem.exchange.TranscriptFile.Words;
import dev.capsem.exchange.http.Refusal;
import dev.capsem.exchange.http.Upgrade;
import dev.capsem.exchange.websocket.MessageExchange.Sender;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

final class MessageExchangeTest {
    static Stream<Path> transcripts() {
        return TranscriptFile.in("websocket");
    }

    @ParameterizedTest
    @MethodSource("transcripts")
    void isAsItsTranscriptSays(Path transcript) {
        TranscriptFile.perform(transcript, new Play());
    }

    /// `= upgrade …` opens the connection: the rules in front of it decided about the upgrade.
    private static final class Play implements TranscriptFile.Play {
        private final ScriptedGate gate = new ScriptedGate("http", Play::rewritten);
        private @Nullable MessageExchange messages;

        @Override
        public void given(Words words) {
            switch (words.first()) {
                case "rules" -> gate.says(words);
                case "finds" -> gate.finds(words.from(1));
                case "upgrade" -> messages = new MessageExchange(upgrade(), gate, _ -> ScriptedGate.ENVELOPE);
                default -> throw new IllegalArgumentException(words.first());
            }
        }

        private Upgrade upgrade() {
            HttpRequest request = request(Body.NONE);
            Evaluation allowed = gate.evaluate(request);
            return new Upgrade(
                    request,
                    allowed,
                    response(Body.NONE),
                    gate.evaluate(response(Body.NONE)),
                    true,
                    true,
                    Optional.empty());
        }

        private static HttpRequest request(Body body) {
            return new HttpRequest(
                    ScriptedGate.ENVELOPE,
                    "GET",
                    "wss",
                    "example.com",
                    443,
                    "/chat",
                    Optional.empty(),
                    Headers.NONE,
                    body,
                    Optional.empty());
        }

        private static HttpResponse response(Body body) {
            return new HttpResponse(ScriptedGate.ENVELOPE, request(Body.NONE), 101, Headers.NONE, body);
        }

        /// A rule that rewrites masks a text, and finds nothing to change in the head.
        private static SecurityEvent rewritten(SecurityEvent event) {
            return switch (event) {
                case HttpRequest request
                when !(request.body() instanceof Body.Absent) -> request.withBody(Body.of("***"));
                case HttpResponse response
                when !(response.body() instanceof Body.Absent) -> response.withBody(Body.of("***"));
                default -> event;
            };
        }

        @Override
        public List<String> on(Words words) {
            Sender sender = Sender.valueOf(words.first().toUpperCase(Locale.ROOT));
            MessageExchange open = messages;
            return open == null
                    ? List.of()
                    : open.on(sender, input(new Words(words.from(1)))).stream()
                            .map(Play::shown)
                            .toList();
        }

        private static MessageInput input(Words words) {
            return switch (words.first()) {
                case "text" -> new MessageInput.Arrived(Body.of(words.at(1)));
                case "bytes" ->
                    new MessageInput.Arrived(
                            Body.of(new byte[] {(byte) 0xFF, 0, 1}, Optional.of("application/octet-stream")));
                case "too_large" -> new MessageInput.Arrived(new Body.TooLarge(OptionalLong.empty(), Optional.empty()));
                case "malformed" -> new MessageInput.Malformed(words.at(1));
                case "no_room" -> new MessageInput.NoRoom(words.at(1));
                case "approved", "denied" -> new MessageInput.Answered(ScriptedGate.answer(words));
                case "question_failed" -> new MessageInput.QuestionFailed();
                case "admitted" -> new MessageInput.Admitted();
                case "not_admitted" -> new MessageInput.NotAdmitted(new Admission.Refused(words.at(1), words.at(2)));
                case "recorded" -> new MessageInput.Recorded();
                case "ended" -> new MessageInput.ConnectionEnded();
                default -> throw new IllegalArgumentException(words.first());
            };
        }

        private static String shown(MessageAction action) {
            return switch (action) {
                case MessageAction.Count(var decision) -> "count " + decision.wireName();
                case MessageAction.AskPerson(SecurityEvent event, Evaluation question) ->
                    "ask a person about " + about(event) + ": " + ScriptedGate.shown(question);
                case MessageAction.WithdrawQuestion _ -> "withdraw the question";
                case MessageAction.Admit(var type) -> "admit " + type.wireName();
                case MessageAction.PutOnRecord(SecurityEvent event, Evaluation evaluation) ->
                    "record " + about(event) + ": " + ScriptedGate.shown(evaluation) + findings(evaluation);
                case MessageAction.PutInLog(SecurityEvent event, Evaluation evaluation) ->
                    "log " + about(event) + ": " + ScriptedGate.shown(evaluation);
                case MessageAction.Pass _ -> "pass";
                case MessageAction.Replace(String text) -> "replace by " + TranscriptFile.quoted(text);
                case MessageAction.Refuse(Refusal refusal) ->
                    "refuse " + refusal.status() + " " + refusal.code() + " " + TranscriptFile.quoted(refusal.reason());
            };
        }

        private static String findings(Evaluation evaluation) {
            return evaluation.findings().isEmpty()
                    ? ""
                    : ", found "
                            + String.join(
                                    " ",
                                    evaluation.findings().stream()
                                            .map(finding -> finding.ruleId())
                                            .toList());
        }

        private static String about(SecurityEvent event) {
            return switch (event) {
                case HttpRequest request -> "the request with " + body(request.body());
                case HttpResponse response -> "the response with " + body(response.body());
                default -> throw new IllegalArgumentException("not of a WebSocket");
            };
        }

        private static String body(Body body) {
            return switch (body) {
                case Body.Text text when !text.isBinary() -> TranscriptFile.quoted(text.text());
                case Body.Text text -> text.text().getBytes(StandardCharsets.ISO_8859_1).length + " bytes";
                case Body.Absent _ -> "no body";
                case Body.TooLarge _ -> "a body that is too large";
                case Body.Unread _ -> "an unread body";
                case Body.Redacted _ -> "a redacted body";
            };
        }
    }
}
