package dev.capsem.mcp.connection;

import dev.capsem.events.Admission;
import dev.capsem.events.Admission.Place;
import dev.capsem.events.row.Projection;
import dev.capsem.events.security.Evaluation;
import dev.capsem.events.security.JsonDocument;
import dev.capsem.events.security.SecurityEvent;
import dev.capsem.events.security.SecurityEvent.McpRequest;
import dev.capsem.events.security.SecurityEvent.McpResponse;
import dev.capsem.events.vocabulary.Correlation;
import dev.capsem.exchange.mcp.McpAction;
import dev.capsem.exchange.mcp.McpCall;
import dev.capsem.exchange.mcp.McpInput;
import dev.capsem.mcp.method.Call;
import dev.capsem.mcp.record.CallRecord;
import dev.capsem.mcp.record.CallRecord.End;
import dev.capsem.wire.json.Json;
import dev.capsem.wire.jsonrpc.JsonRpc;
import dev.capsem.wire.jsonrpc.JsonRpcError;
import dev.capsem.wire.jsonrpc.JsonRpcId;
import dev.capsem.wire.jsonrpc.JsonRpcMessage;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/// Translates between one [McpCall] and the rules' people, the record and whoever carries the call out.
final class CallShell {
    private final EndpointDependencies parts;
    private final Origin origin;
    private final Carrier carrier;
    private final CompletableFuture<?> withdrawn;
    private final Place place;
    private final Instant at;
    private final long startedAt = System.nanoTime();

    private McpReply reply = new McpReply.Cancelled();
    private @Nullable McpResponse replied;
    private JsonNode content = Json.object();

    /// Whose call it is.
    ///
    /// @param id under which it is answered
    /// @param shownId as the record shows it
    /// @param modelCall under which a model asked for it
    record Origin(
            JsonRpcId id,
            String shownId,
            Correlation correlation,
            Optional<String> processName,
            Optional<String> modelCall) {
        /// Of a call that will not be on record.
        static Origin unrecorded(JsonRpcId id) {
            return new Origin(id, "", Correlation.NONE, Optional.empty(), Optional.empty());
        }
    }

    /// The side that is asked.
    interface Carrier {
        /// The asker's message, in the form that rules judge.
        McpRequest event();

        /// The parameters as they are sent.
        Optional<ObjectNode> params(McpRequest event);

        McpReply carry(McpAction.Forward forward) throws InterruptedException;
    }

    /// @param place of its admission
    /// @param withdrawn completes when nobody wants an answer any more
    CallShell(EndpointDependencies parts, Origin origin, Place place, CompletableFuture<?> withdrawn, Carrier carrier) {
        this.parts = parts;
        this.origin = origin;
        this.place = place;
        this.withdrawn = withdrawn;
        this.carrier = carrier;
        this.at = parts.clock().instant();
    }

    /// Empty if the asker cancelled it meanwhile.
    ///
    /// @param first whether it was admitted
    Optional<JsonRpcMessage> answered(McpCall call, McpInput first) throws InterruptedException {
        Optional<McpInput> next = Optional.of(first);
        Optional<McpAction> last = Optional.empty();
        while (next.isPresent()) {
            if (withdrawn.isDone()) {
                call.on(new McpInput.Cancelled());
            }
            last = call.on(next.get()).stream().findFirst();
            next = last.isEmpty() ? Optional.empty() : performed(last.get());
        }
        return last.map(this::message);
    }

    /// The next input; empty if it was the last action.
    private Optional<McpInput> performed(McpAction action) throws InterruptedException {
        return switch (action) {
            case McpAction.AskPerson(SecurityEvent event, Evaluation question) ->
                Optional.of(new McpInput.Waited(parts.ports().asked(event, question, withdrawn)));
            case McpAction.PutOnRecord record -> Optional.of(recorded(record));
            case McpAction.Forward forward -> Optional.of(carried(forward));
            case McpAction.Answer _,
                    McpAction.Refuse _,
                    McpAction.NoSuchTool _,
                    McpAction.FailUnrecorded _,
                    McpAction.Deliver _,
                    McpAction.Drop _ -> Optional.empty();
        };
    }

    private JsonRpcMessage message(McpAction last) {
        return switch (last) {
            case McpAction.Answer(Optional<McpResponse> changed) -> {
                JsonNode shown = changed.map(this::shown).orElse(content);
                yield reply instanceof McpReply.Success
                        ? new JsonRpcMessage.Result(origin.id(), shown)
                        : failure(Trees.error(shown));
            }
            case McpAction.Refuse(McpAction.Subject subject, Evaluation blocked) -> failure(refusal(subject, blocked));
            case McpAction.NoSuchTool(McpRequest event) -> failure(noSuchTool(event));
            case McpAction.FailUnrecorded(Admission.Refused refused) -> failure(Enforcement.unrecorded(refused));
            case McpAction.AskPerson _,
                    McpAction.PutOnRecord _,
                    McpAction.Forward _,
                    McpAction.Deliver _,
                    McpAction.Drop _ -> throw new IllegalStateException("not the last word on a call");
        };
    }

    private JsonRpcMessage failure(JsonRpcError error) {
        return new JsonRpcMessage.Failure(Optional.of(origin.id()), error);
    }

    private static JsonRpcError refusal(McpAction.Subject subject, Evaluation blocked) {
        return Enforcement.refusal(subject.name().toLowerCase(Locale.ROOT), blocked);
    }

    private static JsonRpcError noSuchTool(McpRequest event) {
        return Call.noSuchTool(event.namespacedName().orElse(""));
    }

    // --- the other side -----------------------------------------------------------------------------------------

    private McpInput carried(McpAction.Forward forward) throws InterruptedException {
        reply = carrier.carry(forward);
        content = switch (reply) {
            case McpReply.Success(ObjectNode result) -> result;
            case McpReply.Failure(JsonRpcError error) -> JsonRpc.tree(error);
            case McpReply.Cancelled _ -> Json.object().put("cancelled", true);
        };
        boolean isResult = reply instanceof McpReply.Success;
        McpRequest request = forward.event();
        McpResponse event = new McpResponse(
                parts.ports()
                        .envelope(origin.correlation()
                                .withParent(request.envelope().id()))
                        .withCaller(request.envelope().caller()),
                request,
                !isResult || content.path("isError").asBoolean(false),
                Optional.of(JsonDocument.of(content)));
        replied = event;
        return reply instanceof McpReply.Cancelled
                ? new McpInput.GivenUp(event)
                : new McpInput.Replied(event, isResult);
    }

    /// The answer for the asker, which a rule may have changed.
    private JsonNode shown(McpResponse answer) {
        return answer.equals(replied)
                ? content
                : answer.content().map(Trees::of).orElse(content);
    }

    // --- the record ---------------------------------------------------------------------------------------------

    private McpInput recorded(McpAction.PutOnRecord record) {
        List<Projection> rows = record.row()
                .map(row -> {
                    McpRequest request = record.event() instanceof McpResponse response
                            ? response.request()
                            : (McpRequest) record.event();
                    return callRecord(request).rows(end(row.end(), record), row.policy());
                })
                .orElse(List.of());
        return parts.ports().record(record.event(), record.evaluation(), rows, place)
                ? new McpInput.Recorded()
                : new McpInput.NotRecorded();
    }

    private CallRecord callRecord(McpRequest event) {
        return new CallRecord(
                at,
                event,
                Optional.of(origin.shownId()),
                carrier.params(event),
                origin.processName(),
                origin.correlation().traceId(),
                origin.modelCall(),
                parts.mask());
    }

    private End end(McpAction.End end, McpAction.PutOnRecord record) {
        Duration took = Duration.ofNanos(System.nanoTime() - startedAt);
        return switch (end) {
            case REFUSED -> new End.Refused(refusal(McpAction.Subject.REQUEST, record.evaluation()), took);
            case NO_TOOL -> new End.Failed(noSuchTool((McpRequest) record.event()), took);
            case CANCELLED -> new End.Failed(JsonRpcError.of(JsonRpcError.TIMED_OUT, "cancelled by the client"), took);
            case WITHHELD -> new End.Withheld(refusal(McpAction.Subject.RESPONSE, record.evaluation()), took);
            case ANSWERED -> {
                JsonNode shown = shown((McpResponse) record.event());
                yield reply instanceof McpReply.Success
                        ? new End.Answered(shown, took)
                        : new End.Failed(Trees.error(shown), took);
            }
        };
    }
}
