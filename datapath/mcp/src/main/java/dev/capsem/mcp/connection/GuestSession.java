package dev.capsem.mcp.connection;

import dev.capsem.events.Admission;
import dev.capsem.events.Admission.Place;
import dev.capsem.events.Correlation;
import dev.capsem.events.row.PolicyOutcome;
import dev.capsem.events.security.ClaimedCaller;
import dev.capsem.events.security.Envelope;
import dev.capsem.events.security.Evaluation;
import dev.capsem.events.security.JsonDocument;
import dev.capsem.events.security.SecurityEvent.McpRequest;
import dev.capsem.events.security.SecurityEvent.McpResponse;
import dev.capsem.events.vocabulary.EventType;
import dev.capsem.events.vocabulary.TraceId;
import dev.capsem.mcp.method.Call;
import dev.capsem.mcp.method.Call.Action;
import dev.capsem.mcp.method.ToolRoute;
import dev.capsem.mcp.record.CallRecord;
import dev.capsem.mcp.record.CallRecord.End;
import dev.capsem.mcp.record.CallTraces;
import dev.capsem.mcp.record.ToolTrust;
import dev.capsem.wire.aggregator.AggregatorEvent;
import dev.capsem.wire.aggregator.AggregatorEvent.ServerNotification;
import dev.capsem.wire.aggregator.AggregatorEvent.ServerRequest;
import dev.capsem.wire.aggregator.Namespace;
import dev.capsem.wire.aggregator.Operation;
import dev.capsem.wire.json.Json;
import dev.capsem.wire.jsonrpc.JsonRpc;
import dev.capsem.wire.jsonrpc.JsonRpcError;
import dev.capsem.wire.jsonrpc.JsonRpcId;
import dev.capsem.wire.jsonrpc.JsonRpcMessage;
import dev.capsem.wire.jsonrpc.JsonRpcMessage.Failure;
import dev.capsem.wire.jsonrpc.JsonRpcMessage.Notification;
import dev.capsem.wire.jsonrpc.JsonRpcMessage.Request;
import dev.capsem.wire.jsonrpc.JsonRpcMessage.Result;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/// The client at the guest's end: what it declared, what it waits for, and the rules on both directions. Knows nothing
/// of frames.
final class GuestSession {
    private static final Logger LOG = LoggerFactory.getLogger(GuestSession.class);
    private static final Pattern TRACEPARENT = Pattern.compile("[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}");
    /// What a client may tell us; anything else is refused and recorded.
    private static final Set<String> CLIENT_NOTIFICATIONS = Set.of(
            "notifications/initialized",
            "notifications/cancelled",
            "notifications/progress",
            "notifications/roots/list_changed");

    private static final Set<String> SERVER_NOTIFICATIONS = Set.of(
            "notifications/progress",
            "notifications/message",
            "notifications/resources/updated",
            "notifications/resources/list_changed",
            "notifications/tools/list_changed",
            "notifications/prompts/list_changed",
            "notifications/elicitation/complete");

    /// What a server may ask of a client, with the capability by which the client says that it can.
    private static final Map<String, String> SERVER_REQUESTS =
            Map.of("sampling/createMessage", "sampling", "elicitation/create", "elicitation", "roots/list", "roots");

    /// Why something that was admitted is not on record all the same.
    private static final Admission.Refused ENDING = new Admission.Refused("the sandbox is ending", "start it again");

    private final EndpointParts parts;
    private final Dispatch dispatch;
    private final Predicate<JsonRpcMessage> unasked;
    private final Map<JsonRpcId, CompletableFuture<Void>> inFlight = new ConcurrentHashMap<>();
    private final Map<JsonRpcId, CompletableFuture<JsonRpcMessage>> asked = new ConcurrentHashMap<>();
    private final AtomicLong lastOwnId = new AtomicLong();
    private volatile Set<String> capabilities = Set.of();
    private volatile String level = "debug";

    /// @param unasked sends a message that answers nothing, or says that there is no room; must not wait
    GuestSession(EndpointParts parts, Predicate<JsonRpcMessage> unasked) {
        this.parts = parts;
        this.dispatch = new Dispatch(parts, this);
        this.unasked = unasked;
    }

    /// Whether the client said it can do this.
    boolean isAble(String serverMethod) {
        return Optional.ofNullable(SERVER_REQUESTS.get(serverMethod))
                .map(capabilities::contains)
                .orElse(false);
    }

    /// The client is gone: nobody will answer what servers asked it.
    void close() {
        asked.values()
                .forEach(answer -> answer.complete(new Failure(
                        Optional.empty(), JsonRpcError.of(JsonRpcError.DISCONNECTED, "the client disconnected"))));
        parts.interests().forget(this);
    }

    // --- the client asks ----------------------------------------------------------------------------------------

    /// From now on the client can cancel it.
    ///
    /// @return completes when it does
    CompletableFuture<Void> begin(Request request) {
        CompletableFuture<Void> withdrawn = new CompletableFuture<>();
        inFlight.put(request.id(), withdrawn);
        return withdrawn;
    }

    /// Empty if the client cancelled it meanwhile.
    ///
    /// @param withdrawn of [#begin]
    /// @param onServerRequest takes what a server asks in the course of this call; must not wait
    Optional<JsonRpcMessage> request(
            Request request,
            CompletableFuture<Void> withdrawn,
            String processName,
            Consumer<ServerRequest> onServerRequest)
            throws InterruptedException {
        try {
            return switch (parts.referee().admit(EventType.MCP_REQUEST)) {
                case Admission.Refused refused ->
                    Optional.of(new Failure(Optional.of(request.id()), Enforcement.unrecorded(refused)));
                case Admission.Admitted(Place place) -> {
                    try (place) {
                        yield exchange(request, processName, withdrawn, onServerRequest, place);
                    }
                }
            };
        } finally {
            inFlight.remove(request.id(), withdrawn);
        }
    }

    private Optional<JsonRpcMessage> exchange(
            Request request,
            String processName,
            CompletableFuture<Void> withdrawn,
            Consumer<ServerRequest> onServerRequest,
            Place place)
            throws InterruptedException {
        Instant at = parts.clock().instant();
        long startedAt = System.nanoTime();
        final Call sent = Call.of(request);
        Optional<CallTraces.Asked> asked = asked(sent);
        TraceId trace = asked.map(CallTraces.Asked::trace).orElseGet(() -> trace(sent));
        Correlation alone = Correlation.NONE
                .withTrace(trace)
                .withMcpCall(shortened(request.id().shown()));
        Correlation correlation =
                asked.map(model -> alone.withToolCall(model.callId())).orElse(alone);
        Call call = standing(sent);
        McpRequest event = event(correlation, processName, call);
        Evaluation before = judged(call, event, withdrawn);
        if (before.outcome() instanceof Evaluation.Rewritten(McpRequest changed, var _)) {
            call = call.withArguments(tree(changed));
            event = changed;
        }
        CallRecord record = new CallRecord(
                at,
                event,
                Optional.of(shortened(request.id().shown())),
                call.request().params(),
                Optional.of(processName),
                Optional.of(trace),
                asked.map(CallTraces.Asked::callId),
                parts.mask());
        if (before.outcome() instanceof Evaluation.Blocked) {
            JsonRpcError refusal = Enforcement.refusal("request", before);
            End end = new End.Refused(refusal, since(startedAt));
            parts.referee().record(event, before, record.rows(end, before.policyOutcome()), place);
            return withdrawn.isDone() ? Optional.empty() : Optional.of(new Failure(Optional.of(request.id()), refusal));
        }
        if (call.action() instanceof Action.NoTool(JsonRpcError error)) {
            End end = new End.Failed(error, since(startedAt));
            parts.referee().record(event, before, record.rows(end, before.policyOutcome()), place);
            return Optional.of(new Failure(Optional.of(request.id()), error));
        }
        if (!parts.referee().record(event, before, List.of(), place)) {
            return Optional.of(new Failure(Optional.of(request.id()), Enforcement.unrecorded(ENDING)));
        }
        if (call.action() instanceof Action.Initialize) {
            capabilities = declared(call);
        } else if (call.action() instanceof Action.SetLevel(String wanted)) {
            level = wanted;
        }
        Optional<JsonNode> progressToken = call.progressToken();
        Reply reply = dispatch.run(call, withdrawn, said -> serverSaid(said, progressToken, onServerRequest));
        return answer(new Turn(request.id(), event, before, correlation, record, startedAt, place), reply, withdrawn);
    }

    /// A tool that is not there is not found at once. One of a server that is away fails at once, judged as any.
    private Call standing(Call sent) {
        if (!(sent.action() instanceof Action.CallTool(ToolRoute to))) {
            return sent;
        }
        return switch (parts.referee().standing(to.backendName())) {
            case ToolTrust.Standing.Missing _ -> sent.withoutTool();
            case ToolTrust.Standing.Away(String reason) ->
                sent.failing(JsonRpcError.of(JsonRpcError.INTERNAL_ERROR, "tool call failed: " + reason));
            case ToolTrust.Standing.Agreed _, ToolTrust.Standing.Doubtful _ -> sent;
        };
    }

    private Evaluation judged(Call call, McpRequest event, CompletableFuture<?> withdrawn) throws InterruptedException {
        if (call.action() instanceof Action.NoTool) {
            return parts.referee().judgeNothing(event, "there is no such tool");
        }
        return call.action() instanceof Action.CallTool(ToolRoute route)
                ? parts.referee().judgeTool(event, route.backendName(), withdrawn)
                : parts.referee().judge(event, withdrawn);
    }

    /// A request that was carried out, on its way back.
    private record Turn(
            JsonRpcId id,
            McpRequest event,
            Evaluation before,
            Correlation correlation,
            CallRecord record,
            long startedAt,
            Place place) {
        Duration duration() {
            return since(startedAt);
        }
    }

    private static Duration since(long startedAt) {
        return Duration.ofNanos(System.nanoTime() - startedAt);
    }

    private Optional<JsonRpcMessage> answer(Turn turn, Reply reply, CompletableFuture<Void> withdrawn)
            throws InterruptedException {
        JsonNode content = switch (reply) {
            case Reply.Success(ObjectNode result) -> result;
            case Reply.Failure(JsonRpcError error) -> JsonRpc.tree(error);
            case Reply.Cancelled _ -> Json.object().put("cancelled", true);
        };
        boolean isError =
                !(reply instanceof Reply.Success) || content.path("isError").asBoolean(false);
        McpResponse event = new McpResponse(
                parts.referee()
                        .envelope(turn.correlation()
                                .withParent(turn.event().envelope().id()))
                        .withCaller(turn.event().envelope().caller()),
                turn.event(),
                isError,
                Optional.of(JsonDocument.of(content)));
        if (reply instanceof Reply.Cancelled) {
            End end =
                    new End.Failed(JsonRpcError.of(JsonRpcError.TIMED_OUT, "cancelled by the client"), turn.duration());
            parts.referee()
                    .record(
                            event,
                            turn.before(),
                            turn.record().rows(end, turn.before().policyOutcome()),
                            turn.place());
            return Optional.empty();
        }
        Evaluation after = parts.referee().judge(event, withdrawn);
        PolicyOutcome policy = CallRecord.stricter(turn.before(), after);
        if (after.outcome() instanceof Evaluation.Blocked) {
            JsonRpcError refusal = Enforcement.refusal("response", after);
            parts.referee()
                    .record(
                            event,
                            after,
                            turn.record().rows(new End.Withheld(refusal, turn.duration()), policy),
                            turn.place());
            return withdrawn.isDone() ? Optional.empty() : Optional.of(new Failure(Optional.of(turn.id()), refusal));
        }
        JsonNode shown = after.outcome() instanceof Evaluation.Rewritten(McpResponse changed, var _)
                ? changed.content().map(GuestSession::tree).orElse(content)
                : content;
        End end = reply instanceof Reply.Success
                ? new End.Answered(shown, turn.duration())
                : new End.Failed(error(shown), turn.duration());
        if (!parts.referee().record(event, after, turn.record().rows(end, policy), turn.place())) {
            return Optional.of(new Failure(Optional.of(turn.id()), Enforcement.unrecorded(ENDING)));
        }
        return Optional.of(
                reply instanceof Reply.Success
                        ? new Result(turn.id(), shown)
                        : new Failure(Optional.of(turn.id()), error(shown)));
    }

    // --- the client tells ---------------------------------------------------------------------------------------

    /// What cannot be put on record is not passed on.
    ///
    /// @param processName as with requests
    void notification(Notification notification, String processName) {
        switch (parts.referee().admit(EventType.MCP_REQUEST)) {
            case Admission.Refused refused -> notDelivered(notification.method(), refused);
            case Admission.Admitted(Place place) -> {
                try (place) {
                    notification(notification, processName, place);
                }
            }
        }
    }

    private static void notDelivered(String method, Admission.Refused refused) {
        LOG.atWarn()
                .addKeyValue("method", method)
                .addKeyValue("reason", refused.reason())
                .log("mcp.notification.unrecorded");
    }

    private void notification(Notification notification, String processName, Place place) {
        long startedAt = System.nanoTime();
        Correlation correlation = Correlation.NONE.withTrace(parts.ids().newTraceId());
        Optional<JsonNode> arguments = notification.params().map(JsonNode.class::cast);
        McpRequest event = event(
                parts.referee().envelope(correlation).withCaller(caller(processName)),
                notification.method(),
                ToolRoute.BUILTIN,
                arguments);
        CallRecord record = new CallRecord(
                parts.clock().instant(),
                event,
                Optional.empty(),
                notification.params(),
                Optional.of(processName),
                correlation.traceId(),
                Optional.empty(),
                parts.mask());
        boolean isKnown = CLIENT_NOTIFICATIONS.contains(notification.method());
        Evaluation evaluation = parts.referee().judgeAtOnce(event);
        boolean isBlocked = evaluation.outcome() instanceof Evaluation.Blocked;
        if (isBlocked || !isKnown) {
            PolicyOutcome policy = isBlocked
                    ? evaluation.policyOutcome()
                    : new PolicyOutcome(
                            Optional.of("enforce"),
                            Optional.of("block"),
                            Optional.of("mcp.notification.disallowed"),
                            Optional.of("clients do not send this notification"));
            JsonRpcError refusal = Enforcement.refusal("notification", evaluation);
            parts.referee()
                    .record(event, evaluation, record.rows(new End.Refused(refusal, since(startedAt)), policy), place);
            return;
        }
        End end = new End.Answered(Json.object(), since(startedAt));
        if (!parts.referee().record(event, evaluation, record.rows(end, evaluation.policyOutcome()), place)) {
            notDelivered(notification.method(), ENDING);
            return;
        }
        switch (notification.method()) {
            case "notifications/cancelled" ->
                Optional.ofNullable(notification.paramsOrEmpty().get("requestId"))
                        .flatMap(JsonRpc::id)
                        .map(inFlight::get)
                        .ifPresent(withdrawn -> withdrawn.complete(null));
            case "notifications/roots/list_changed" -> parts.backend().tell(new Operation.RootsChanged());
            default -> {}
        }
    }

    /// The client's answer to something that a server asked.
    void response(JsonRpcMessage answer) {
        Optional<JsonRpcId> id = switch (answer) {
            case Result(JsonRpcId of, JsonNode _) -> Optional.of(of);
            case Failure(Optional<JsonRpcId> of, JsonRpcError _) -> of;
            case Request _, Notification _ -> Optional.empty();
        };
        Optional<CompletableFuture<JsonRpcMessage>> waiting = id.map(asked::remove);
        waiting.ifPresentOrElse(future -> future.complete(answer), () -> LOG.atDebug().log("mcp.answer.unknown"));
    }

    // --- servers speak ------------------------------------------------------------------------------------------

    /// @param progressToken the client's own for the call in whose course this was said
    private void serverSaid(
            AggregatorEvent event, Optional<JsonNode> progressToken, Consumer<ServerRequest> onServerRequest) {
        switch (event) {
            case ServerNotification said -> serverNotification(said, progressToken);
            case ServerRequest request -> onServerRequest.accept(request);
        }
    }

    /// Judged like all else: what a server says unasked reaches the model as well.
    void serverNotification(ServerNotification said, Optional<JsonNode> progressToken) {
        Optional<ObjectNode> params = said.params();
        switch (said.method()) {
            case "notifications/progress" -> {
                if (progressToken.isEmpty()) {
                    return;
                }
                ObjectNode changed = params.map(ObjectNode::deepCopy).orElseGet(Json::object);
                changed.set("progressToken", progressToken.get());
                params = Optional.of(changed);
            }
            case "notifications/message" -> {
                String severity =
                        params.map(object -> object.path("level").asString("")).orElse("");
                if (SharedInterests.LEVELS.indexOf(severity) < SharedInterests.LEVELS.indexOf(level)) {
                    return;
                }
            }
            case "notifications/resources/updated" -> {
                String uri = Namespace.uri(
                        said.server(),
                        params.map(object -> object.path("uri").asString("")).orElse(""));
                if (!parts.interests().isSubscribed(this, uri)) {
                    return;
                }
                ObjectNode changed = params.map(ObjectNode::deepCopy).orElseGet(Json::object);
                changed.put("uri", uri);
                params = Optional.of(changed);
            }
            default -> {
                if (!SERVER_NOTIFICATIONS.contains(said.method())) {
                    LOG.atDebug().addKeyValue("method", said.method()).log("mcp.notification.unknown");
                    return;
                }
            }
        }
        switch (parts.referee().admitNow(EventType.MCP_REQUEST)) {
            case Admission.Refused refused -> notDelivered(said.method(), refused);
            case Admission.Admitted(Place place) -> {
                try (place) {
                    pass(said, params, place);
                }
            }
        }
    }

    private void pass(ServerNotification said, Optional<ObjectNode> given, Place place) {
        Optional<ObjectNode> params = given;
        long startedAt = System.nanoTime();
        Correlation correlation = Correlation.NONE.withTrace(parts.ids().newTraceId());
        McpRequest event = event(
                correlation,
                said.method(),
                said.server().isEmpty() ? ToolRoute.BUILTIN : said.server(),
                params.map(JsonNode.class::cast));
        Evaluation evaluation = parts.referee().judgeAtOnce(event);
        CallRecord record = new CallRecord(
                parts.clock().instant(),
                event,
                Optional.empty(),
                params,
                Optional.empty(),
                correlation.traceId(),
                Optional.empty(),
                parts.mask());
        if (evaluation.outcome() instanceof Evaluation.Blocked) {
            End end = new End.Refused(Enforcement.refusal("notification", evaluation), since(startedAt));
            parts.referee().record(event, evaluation, record.rows(end, evaluation.policyOutcome()), place);
            return;
        }
        if (evaluation.outcome() instanceof Evaluation.Rewritten(McpRequest changed, var _)) {
            params = Optional.of(tree(changed));
        }
        if (!parts.referee().record(event, evaluation, List.of(), place)) {
            notDelivered(said.method(), ENDING);
            return;
        }
        if (!unasked.test(new Notification(said.method(), params))) {
            LOG.atDebug().addKeyValue("method", said.method()).log("mcp.notification.dropped");
        }
    }

    /// Puts a server's question to the client and hands the answer back. Waits for it.
    void serverRequest(ServerRequest request) throws InterruptedException {
        parts.backend().tell(new Operation.Answer(request.token(), answered(request)));
    }

    private Operation.Outcome answered(ServerRequest request) throws InterruptedException {
        if (!isAble(request.method())) {
            return refused(request.method(), SERVER_REQUESTS.containsKey(request.method()));
        }
        return switch (parts.referee().admit(EventType.MCP_REQUEST)) {
            case Admission.Refused refused -> new Operation.Outcome.Refusal(Enforcement.unrecorded(refused));
            case Admission.Admitted(Place place) -> {
                try (place) {
                    yield answered(request, place);
                }
            }
        };
    }

    private Operation.Outcome answered(ServerRequest request, Place place) throws InterruptedException {
        Instant at = parts.clock().instant();
        long startedAt = System.nanoTime();
        JsonRpcId id = JsonRpcId.of("capsem-" + lastOwnId.incrementAndGet());
        TraceId trace = parts.ids().newTraceId();
        Correlation correlation = Correlation.NONE.withTrace(trace).withMcpCall(id.shown());
        McpRequest event = event(
                correlation,
                request.method(),
                request.server(),
                request.params().map(JsonNode.class::cast));
        CompletableFuture<JsonRpcMessage> answer = new CompletableFuture<>();
        Evaluation before = parts.referee().judge(event, answer);
        Optional<ObjectNode> params = before.outcome() instanceof Evaluation.Rewritten(McpRequest changed, var _)
                ? Optional.of(tree(changed))
                : request.params();
        CallRecord record = new CallRecord(
                at,
                event,
                Optional.of(id.shown()),
                params,
                Optional.empty(),
                Optional.of(trace),
                Optional.empty(),
                parts.mask());
        if (before.outcome() instanceof Evaluation.Blocked) {
            JsonRpcError refusal = Enforcement.refusal("request", before);
            End end = new End.Refused(refusal, since(startedAt));
            parts.referee().record(event, before, record.rows(end, before.policyOutcome()), place);
            return new Operation.Outcome.Refusal(refusal);
        }
        if (!parts.referee().record(event, before, List.of(), place)) {
            return new Operation.Outcome.Refusal(Enforcement.unrecorded(ENDING));
        }
        asked.put(id, answer);
        if (!unasked.test(new Request(id, request.method(), params))) {
            answer.complete(new Failure(
                    Optional.of(id), JsonRpcError.of(JsonRpcError.INTERNAL_ERROR, "the client does not keep up")));
        }
        Reply reply = awaited(id, answer);
        CompletableFuture<Void> never = new CompletableFuture<>();
        Optional<JsonRpcMessage> judged =
                answer(new Turn(id, event, before, correlation, record, startedAt, place), reply, never);
        return switch (judged.orElseThrow(() -> new IllegalStateException("nobody can cancel this"))) {
            case Result(JsonRpcId _, JsonNode result) -> new Operation.Outcome.Success(result);
            case Failure(Optional<JsonRpcId> _, JsonRpcError error) -> new Operation.Outcome.Refusal(error);
            case Request _, Notification _ -> throw new IllegalStateException("an answer is no question");
        };
    }

    private Reply awaited(JsonRpcId id, CompletableFuture<JsonRpcMessage> answer) throws InterruptedException {
        Duration timeout = parts.limits().toolTimeout();
        try {
            return switch (answer.get(timeout.toMillis(), TimeUnit.MILLISECONDS)) {
                case Result(JsonRpcId _, JsonNode result) ->
                    result instanceof ObjectNode object
                            ? new Reply.Success(object)
                            : new Reply.Failure(
                                    JsonRpcError.of(JsonRpcError.INVALID_REQUEST, "the client's result is no object"));
                case Failure(Optional<JsonRpcId> _, JsonRpcError error) -> new Reply.Failure(error);
                case Request _, Notification _ -> throw new IllegalStateException("an answer is no question");
            };
        } catch (TimeoutException e) {
            return new Reply.Failure(JsonRpcError.of(
                    JsonRpcError.TIMED_OUT, "MCP request timed out after " + timeout.toMillis() + " ms"));
        } catch (ExecutionException e) {
            throw new IllegalStateException("a client's answer never fails", e);
        } finally {
            asked.remove(id);
        }
    }

    /// @param isKnown whether it is a method that other clients might answer
    static Operation.Outcome refused(String method, boolean isKnown) {
        return new Operation.Outcome.Refusal(JsonRpcError.of(
                JsonRpcError.METHOD_NOT_FOUND,
                isKnown ? "the client does not support " + method : "method not found: " + method));
    }

    // --- events -------------------------------------------------------------------------------------------------

    private McpRequest event(Correlation correlation, String processName, Call call) {
        return new McpRequest(
                parts.referee().envelope(correlation).withCaller(caller(processName)),
                call.request().method(),
                call.server(),
                call.tool(),
                call.name(),
                call.arguments().map(JsonDocument::of),
                call.arguments().isPresent() ? "valid_json" : "absent",
                call.meta().map(JsonDocument::of));
    }

    private McpRequest event(Correlation correlation, String method, String server, Optional<JsonNode> arguments) {
        return event(parts.referee().envelope(correlation), method, server, arguments);
    }

    private static ClaimedCaller caller(String processName) {
        return new ClaimedCaller(Optional.of(processName), Optional.empty());
    }

    private static McpRequest event(Envelope envelope, String method, String server, Optional<JsonNode> arguments) {
        return new McpRequest(
                envelope,
                method,
                server,
                Optional.empty(),
                Optional.empty(),
                arguments.map(JsonDocument::of),
                arguments.isPresent() ? "valid_json" : "absent",
                Optional.empty());
    }

    /// The conversation in which a model asked for it.
    private Optional<CallTraces.Asked> asked(Call call) {
        return call.action() instanceof Action.CallTool
                ? call.name().flatMap(name -> parts.traces().of(name, call.arguments()))
                : Optional.empty();
    }

    /// The trace that the client brought, else a new one.
    private TraceId trace(Call call) {
        return call.traceparent()
                .map(TRACEPARENT::matcher)
                .filter(Matcher::matches)
                .map(matcher -> new TraceId(matcher.group(1)))
                .orElseGet(() -> parts.ids().newTraceId());
    }

    private static Set<String> declared(Call call) {
        return call.request().paramsOrEmpty().get("capabilities") instanceof ObjectNode object
                ? Set.copyOf(object.propertyNames())
                : Set.of();
    }

    private static ObjectNode tree(McpRequest event) {
        return event.arguments()
                .map(GuestSession::tree)
                .filter(ObjectNode.class::isInstance)
                .map(ObjectNode.class::cast)
                .orElseGet(Json::object);
    }

    private static JsonNode tree(JsonDocument document) {
        return Json.parse(document.text());
    }

    private static JsonRpcError error(JsonNode tree) {
        return new JsonRpcError(
                tree.path("code").asInt(JsonRpcError.INTERNAL_ERROR),
                tree.path("message").asString(""),
                Optional.ofNullable(tree.get("data")));
    }

    /// The guest chose it, and records keep it.
    private static String shortened(String id) {
        return id.length() <= 256 ? id : id.substring(0, 256);
    }
}
