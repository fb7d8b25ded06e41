package dev.capsem.mcp.connection;

import dev.capsem.events.Admission;
import dev.capsem.events.Admission.Place;
import dev.capsem.events.security.SecurityEvent.McpRequest;
import dev.capsem.events.vocabulary.Correlation;
import dev.capsem.events.vocabulary.EventType;
import dev.capsem.events.vocabulary.TraceId;
import dev.capsem.exchange.mcp.CallTarget;
import dev.capsem.exchange.mcp.McpAction;
import dev.capsem.exchange.mcp.McpCall;
import dev.capsem.exchange.mcp.McpInput;
import dev.capsem.exchange.mcp.ToolStanding;
import dev.capsem.mcp.method.Call;
import dev.capsem.mcp.method.Call.Action;
import dev.capsem.mcp.method.ToolRoute;
import dev.capsem.mcp.record.CallTraces;
import dev.capsem.mcp.record.ToolTrust;
import dev.capsem.wire.aggregator.AggregatorEvent;
import dev.capsem.wire.jsonrpc.JsonRpcError;
import dev.capsem.wire.jsonrpc.JsonRpcId;
import dev.capsem.wire.jsonrpc.JsonRpcMessage;
import dev.capsem.wire.jsonrpc.JsonRpcMessage.Request;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import tools.jackson.databind.node.ObjectNode;

/// The requests of one client that are under way.
final class ClientRequests {
    private static final Pattern TRACEPARENT = Pattern.compile("[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}");
    private static final int ID_LENGTH_MAX = 256;

    private final EndpointDependencies parts;
    private final McpClientSession session;
    private final Dispatch dispatch;
    private final Map<JsonRpcId, CompletableFuture<Void>> inFlight = new ConcurrentHashMap<>();

    ClientRequests(EndpointDependencies parts, McpClientSession session) {
        this.parts = parts;
        this.session = session;
        this.dispatch = new Dispatch(parts, session);
    }

    /// From now on the client can cancel it.
    ///
    /// @return completes when it does
    CompletableFuture<Void> begin(Request request) {
        CompletableFuture<Void> withdrawn = new CompletableFuture<>();
        inFlight.put(request.id(), withdrawn);
        return withdrawn;
    }

    void cancel(JsonRpcId id) {
        Optional.ofNullable(inFlight.get(id)).ifPresent(withdrawn -> withdrawn.complete(null));
    }

    /// Empty if the client cancelled it meanwhile.
    ///
    /// @param withdrawn of [#begin]
    /// @param onEvent takes what servers say in the course of this call; must not wait
    Optional<JsonRpcMessage> request(
            Request request, CompletableFuture<Void> withdrawn, String processName, Consumer<AggregatorEvent> onEvent)
            throws InterruptedException {
        try {
            Call sent = Call.of(request);
            McpCall call = new McpCall(parts.ports().judge(), target(sent));
            return switch (parts.ports().admit(EventType.MCP_REQUEST)) {
                case Admission.Refused refused -> {
                    CallShell.Origin origin = CallShell.Origin.unrecorded(request.id());
                    ToBackend nobody = new ToBackend(sent, Correlation.NONE, processName, withdrawn, onEvent);
                    yield new CallShell(parts, origin, Place.BOUNDLESS, withdrawn, nobody)
                            .answered(call, new McpInput.NotAdmitted(refused));
                }
                case Admission.Admitted(Place place) -> {
                    try (place) {
                        CallShell.Origin origin = origin(sent, processName);
                        ToBackend backend = new ToBackend(sent, origin.correlation(), processName, withdrawn, onEvent);
                        yield new CallShell(parts, origin, place, withdrawn, backend)
                                .answered(call, new McpInput.Admitted(backend.event()));
                    }
                }
            };
        } finally {
            inFlight.remove(request.id(), withdrawn);
        }
    }

    private CallShell.Origin origin(Call sent, String processName) {
        Optional<CallTraces.Asked> model = asked(sent);
        TraceId trace = model.map(CallTraces.Asked::trace).orElseGet(() -> trace(sent));
        JsonRpcId id = sent.request().id();
        String shownId = shortened(id.shown());
        Correlation alone = Correlation.NONE.withTrace(trace).withMcpCall(shownId);
        return new CallShell.Origin(
                id,
                shownId,
                model.map(of -> alone.withToolCall(of.callId())).orElse(alone),
                Optional.of(processName),
                model.map(CallTraces.Asked::callId));
    }

    private CallTarget target(Call sent) {
        if (sent.action() instanceof Action.NoTool) {
            return new CallTarget.NoTool();
        }
        return sent.action() instanceof Action.CallTool(ToolRoute route)
                ? new CallTarget.Tool(new Pinned(parts.ports().trust(), route.backendName()))
                : new CallTarget.Method();
    }

    private record Pinned(ToolTrust trust, String backendName) implements CallTarget.TrustedTool {
        @Override
        public ToolStanding standing() {
            return trust.standing(backendName);
        }

        @Override
        public void approved(String version) {
            trust.approved(backendName, version);
        }
    }

    private final class ToBackend implements CallShell.Carrier {
        private final Call sent;
        private final McpRequest event;
        private final CompletableFuture<Void> withdrawn;
        private final Consumer<AggregatorEvent> onEvent;

        ToBackend(
                Call sent,
                Correlation correlation,
                String processName,
                CompletableFuture<Void> withdrawn,
                Consumer<AggregatorEvent> onEvent) {
            this.sent = sent;
            this.event =
                    McpEvents.of(parts.ports().envelope(correlation).withCaller(McpEvents.caller(processName)), sent);
            this.withdrawn = withdrawn;
            this.onEvent = onEvent;
        }

        @Override
        public McpRequest event() {
            return event;
        }

        @Override
        public Optional<ObjectNode> params(McpRequest judged) {
            return call(judged).request().params();
        }

        /// As a rule may have changed it.
        private Call call(McpRequest judged) {
            return judged.arguments().equals(event.arguments()) ? sent : sent.withArguments(Trees.arguments(judged));
        }

        @Override
        public McpReply carry(McpAction.Forward forward) throws InterruptedException {
            Call call = call(forward.event());
            session.adopt(call);
            Call carried = forward.away()
                    .map(reason ->
                            call.failing(JsonRpcError.of(JsonRpcError.INTERNAL_ERROR, "tool call failed: " + reason)))
                    .orElse(call);
            return dispatch.run(carried, withdrawn, onEvent);
        }
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

    /// The guest chose it, and records keep it.
    private static String shortened(String id) {
        return id.length() <= ID_LENGTH_MAX ? id : id.substring(0, ID_LENGTH_MAX);
    }
}
