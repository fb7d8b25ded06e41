package dev.capsem.exchange.mcp;

import dev.capsem.events.Admission;
import dev.capsem.events.security.Evaluation;
import dev.capsem.events.security.JsonDocument;
import dev.capsem.events.security.SecurityEvent;
import dev.capsem.events.security.SecurityEvent.McpRequest;
import dev.capsem.events.security.SecurityEvent.McpResponse;
import dev.capsem.exchange.Awaited;
import dev.capsem.exchange.Judge;
import dev.capsem.exchange.ScriptedGate;
import dev.capsem.exchange.TranscriptFile;
import dev.capsem.exchange.TranscriptFile.Words;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// A call or a notification with its surroundings.
final class McpPlay implements TranscriptFile.Play {
    private static final McpRequest EVENT = request("rm -rf /");

    private final ScriptedGate gate = new ScriptedGate("mcp", McpPlay::rewritten);
    private final Deque<ToolStanding> standings = new ArrayDeque<>();
    private final List<String> told = new ArrayList<>();
    private @Nullable McpCall call;
    private @Nullable McpNotice notice;

    @Override
    public void given(Words words) {
        switch (words.first()) {
            case "rules" -> gate.says(words);
            case "tool" -> standings.add(standing(words));
            case "call" ->
                call = new McpCall(
                        new Judge(gate),
                        switch (words.at(1)) {
                            case "method" -> new CallTarget.Method();
                            case "no_tool" -> new CallTarget.NoTool();
                            default -> new CallTarget.Tool(new ScriptedTool());
                        });
            case "notice" ->
                notice = new McpNotice(
                        new Judge(gate), McpNotice.Kind.valueOf(words.at(1).toUpperCase(Locale.ROOT)));
            default -> throw new IllegalArgumentException(words.first());
        }
    }

    private static ToolStanding standing(Words words) {
        return switch (words.at(1)) {
            case "agreed" -> new ToolStanding.Agreed();
            case "missing" -> new ToolStanding.Missing();
            case "away" -> new ToolStanding.Away(words.at(2));
            case "doubtful" -> new ToolStanding.Doubtful(words.at(2), words.at(3));
            default -> throw new IllegalArgumentException(words.at(1));
        };
    }

    /// Stands as the transcript says, in that order; the last standing stays.
    private final class ScriptedTool implements CallTarget.TrustedTool {
        @Override
        public ToolStanding standing() {
            return standings.size() > 1 ? standings.removeFirst() : standings.getFirst();
        }

        @Override
        public void approved(String version) {
            told.add("pin the tool at " + version);
        }
    }

    @Override
    public List<String> on(Words words) {
        McpInput input = input(words);
        List<McpAction> actions = call != null ? call.on(input) : notice == null ? List.of() : notice.on(input);
        List<String> shown = new ArrayList<>(told);
        told.clear();
        actions.stream().map(McpPlay::shown).forEach(shown::add);
        return shown;
    }

    private static McpInput input(Words words) {
        return switch (words.first()) {
            case "admitted" -> new McpInput.Admitted(EVENT);
            case "not_admitted" -> new McpInput.NotAdmitted(new Admission.Refused(words.at(1), words.at(2)));
            case "approved", "denied", "no_approver", "queue_full" ->
                new McpInput.Waited(new Awaited.Answered(ScriptedGate.answer(words)));
            case "cancelled_while_asked" -> new McpInput.Waited(new Awaited.Cancelled());
            case "too_late" -> new McpInput.Waited(new Awaited.TooLate(Duration.ofSeconds(50)));
            case "question_failed" -> new McpInput.Waited(new Awaited.Failed());
            case "cancelled" -> new McpInput.Cancelled();
            case "recorded" -> new McpInput.Recorded();
            case "not_recorded" -> new McpInput.NotRecorded();
            case "result" -> new McpInput.Replied(response(words.at(1), false), true);
            case "error" -> new McpInput.Replied(response(words.at(1), true), false);
            case "given_up" -> new McpInput.GivenUp(response("cancelled", true));
            default -> throw new IllegalArgumentException(words.first());
        };
    }

    private static McpRequest request(String arguments) {
        return new McpRequest(
                ScriptedGate.ENVELOPE,
                "tools/call",
                "shell",
                Optional.of("run"),
                Optional.of("shell__run"),
                Optional.of(JsonDocument.of((Object) arguments)),
                "valid_json",
                Optional.empty());
    }

    private static McpResponse response(String content, boolean isError) {
        return new McpResponse(ScriptedGate.ENVELOPE, EVENT, isError, Optional.of(JsonDocument.of((Object) content)));
    }

    private static SecurityEvent rewritten(SecurityEvent event) {
        return event instanceof McpResponse ? response("***", false) : request("***");
    }

    private static String shown(McpAction action) {
        return switch (action) {
            case McpAction.AskPerson(SecurityEvent event, Evaluation question) ->
                "ask a person about " + about(event) + ": " + ScriptedGate.shown(question);
            case McpAction.PutOnRecord record ->
                "record " + about(record.event()) + ": " + ScriptedGate.shown(record.evaluation())
                        + record.row()
                                .map(row -> ", row " + row.end().name().toLowerCase(Locale.ROOT) + " "
                                        + row.policy().action().orElse("-")
                                        + row.policy()
                                                .outcome()
                                                .map(text -> " " + text)
                                                .orElse(""))
                                .orElse("");
            case McpAction.Forward(McpRequest event, Optional<String> away) ->
                "forward " + about(event)
                        + away.map(reason -> ", away " + TranscriptFile.quoted(reason))
                                .orElse("");
            case McpAction.Answer(Optional<McpResponse> changed) ->
                "answer" + changed.map(event -> " with " + about(event)).orElse("");
            case McpAction.Refuse(McpAction.Subject subject, Evaluation evaluation) ->
                "refuse the " + subject.name().toLowerCase(Locale.ROOT) + ": " + ScriptedGate.shown(evaluation);
            case McpAction.NoSuchTool(McpRequest event) ->
                "fail: no such tool " + event.namespacedName().orElse("");
            case McpAction.FailUnrecorded(Admission.Refused refused) ->
                "fail: unrecorded " + TranscriptFile.quoted(refused.cause()) + " "
                        + TranscriptFile.quoted(refused.remedy());
            case McpAction.Deliver(McpRequest event) -> "deliver " + about(event);
            case McpAction.Drop(Admission.Refused refused) -> "drop: " + TranscriptFile.quoted(refused.cause());
        };
    }

    private static String about(SecurityEvent event) {
        return switch (event) {
            case McpRequest request ->
                "the request " + request.arguments().map(JsonDocument::text).orElse("");
            case McpResponse response ->
                "the answer " + response.content().map(JsonDocument::text).orElse("");
            default -> throw new IllegalArgumentException("not of MCP");
        };
    }
}
