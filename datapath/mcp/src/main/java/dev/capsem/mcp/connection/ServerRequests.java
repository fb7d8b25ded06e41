package dev.capsem.mcp.connection;

import dev.capsem.events.Admission;
import dev.capsem.events.Admission.Place;
import dev.capsem.events.security.SecurityEvent.McpRequest;
import dev.capsem.events.vocabulary.Correlation;
import dev.capsem.events.vocabulary.EventType;
import dev.capsem.exchange.mcp.CallTarget;
import dev.capsem.exchange.mcp.McpAction;
import dev.capsem.exchange.mcp.McpCall;
import dev.capsem.exchange.mcp.McpInput;
import dev.capsem.wire.aggregator.AggregatorEvent.ServerRequest;
import dev.capsem.wire.aggregator.Operation;
import dev.capsem.wire.jsonrpc.JsonRpcError;
import dev.capsem.wire.jsonrpc.JsonRpcId;
import dev.capsem.wire.jsonrpc.JsonRpcMessage;
import dev.capsem.wire.jsonrpc.JsonRpcMessage.Failure;
import dev.capsem.wire.jsonrpc.JsonRpcMessage.Notification;
import dev.capsem.wire.jsonrpc.JsonRpcMessage.Request;
import dev.capsem.wire.jsonrpc.JsonRpcMessage.Result;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/// The requests of servers to one client.
final class ServerRequests {
    private static final Logger LOG = LoggerFactory.getLogger(ServerRequests.class);

    /// What a server may ask of a client, with the capability by which the client says that it can.
    private static final Map<String, String> CAPABILITIES =
            Map.of("sampling/createMessage", "sampling", "elicitation/create", "elicitation", "roots/list", "roots");

    private final EndpointDependencies parts;
    private final Predicate<JsonRpcMessage> unasked;
    private final Map<JsonRpcId, CompletableFuture<JsonRpcMessage>> asked = new ConcurrentHashMap<>();
    private final AtomicLong lastOwnId = new AtomicLong();

    /// @param unasked sends a message that answers nothing, or says that there is no room; must not wait
    ServerRequests(EndpointDependencies parts, Predicate<JsonRpcMessage> unasked) {
        this.parts = parts;
        this.unasked = unasked;
    }

    /// The capability that a client needs to answer such a request; empty if no client could.
    static Optional<String> capability(String serverMethod) {
        return Optional.ofNullable(CAPABILITIES.get(serverMethod));
    }

    /// The client is gone: nobody will answer what servers asked it.
    void close() {
        asked.values()
                .forEach(answer -> answer.complete(new Failure(
                        Optional.empty(), JsonRpcError.of(JsonRpcError.DISCONNECTED, "the client disconnected"))));
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

    /// Puts a server's question to the client and hands the answer back. Waits for it.
    ///
    /// @param isAble whether the client said that it can answer it
    void request(ServerRequest request, boolean isAble) throws InterruptedException {
        parts.backend()
                .tell(new Operation.Answer(
                        request.token(), isAble ? outcome(request) : notSupported(request.method())));
    }

    private static Operation.Outcome notSupported(String method) {
        return new Operation.Outcome.Refusal(JsonRpcError.of(
                JsonRpcError.METHOD_NOT_FOUND,
                capability(method).isPresent()
                        ? "the client does not support " + method
                        : "method not found: " + method));
    }

    private Operation.Outcome outcome(ServerRequest request) throws InterruptedException {
        JsonRpcId id = JsonRpcId.of("capsem-" + lastOwnId.incrementAndGet());
        Correlation correlation =
                Correlation.NONE.withTrace(parts.ids().newTraceId()).withMcpCall(id.shown());
        CallShell.Origin origin = new CallShell.Origin(id, id.shown(), correlation, Optional.empty(), Optional.empty());
        return switch (parts.ports().admit(EventType.MCP_REQUEST)) {
            case Admission.Refused refused -> outcome(request, origin, Place.BOUNDLESS, Optional.of(refused));
            case Admission.Admitted(Place place) -> {
                try (place) {
                    yield outcome(request, origin, place, Optional.empty());
                }
            }
        };
    }

    private Operation.Outcome outcome(
            ServerRequest request, CallShell.Origin origin, Place place, Optional<Admission.Refused> refused)
            throws InterruptedException {
        ToClient client = new ToClient(request, origin);
        McpInput first =
                refused.<McpInput>map(McpInput.NotAdmitted::new).orElseGet(() -> new McpInput.Admitted(client.event()));
        CompletableFuture<Void> never = new CompletableFuture<>();
        Optional<JsonRpcMessage> answer = new CallShell(parts, origin, place, never, client)
                .answered(new McpCall(parts.ports().judge(), new CallTarget.Method()), first);
        return switch (answer.orElseThrow(() -> new IllegalStateException("nobody can cancel this"))) {
            case Result(JsonRpcId _, JsonNode result) -> new Operation.Outcome.Success(result);
            case Failure(Optional<JsonRpcId> _, JsonRpcError error) -> new Operation.Outcome.Refusal(error);
            case Request _, Notification _ -> throw new IllegalStateException("an answer is no question");
        };
    }

    private final class ToClient implements CallShell.Carrier {
        private final ServerRequest request;
        private final JsonRpcId id;
        private final McpRequest event;

        ToClient(ServerRequest request, CallShell.Origin origin) {
            this.request = request;
            this.id = origin.id();
            this.event = McpEvents.of(
                    parts.ports().envelope(origin.correlation()),
                    request.method(),
                    request.server(),
                    request.params().map(JsonNode.class::cast));
        }

        @Override
        public McpRequest event() {
            return event;
        }

        @Override
        public Optional<ObjectNode> params(McpRequest judged) {
            return judged.arguments().equals(event.arguments())
                    ? request.params()
                    : Optional.of(Trees.arguments(judged));
        }

        @Override
        public McpReply carry(McpAction.Forward forward) throws InterruptedException {
            CompletableFuture<JsonRpcMessage> answer = new CompletableFuture<>();
            asked.put(id, answer);
            if (!unasked.test(new Request(id, request.method(), params(forward.event())))) {
                answer.complete(new Failure(
                        Optional.of(id), JsonRpcError.of(JsonRpcError.INTERNAL_ERROR, "the client does not keep up")));
            }
            return awaited(id, answer);
        }
    }

    private McpReply awaited(JsonRpcId id, CompletableFuture<JsonRpcMessage> answer) throws InterruptedException {
        Duration timeout = parts.limits().toolTimeout();
        try {
            return switch (answer.get(timeout.toMillis(), TimeUnit.MILLISECONDS)) {
                case Result(JsonRpcId _, JsonNode result) ->
                    result instanceof ObjectNode object
                            ? new McpReply.Success(object)
                            : new McpReply.Failure(
                                    JsonRpcError.of(JsonRpcError.INVALID_REQUEST, "the client's result is no object"));
                case Failure(Optional<JsonRpcId> _, JsonRpcError error) -> new McpReply.Failure(error);
                case Request _, Notification _ -> throw new IllegalStateException("an answer is no question");
            };
        } catch (TimeoutException e) {
            return new McpReply.Failure(JsonRpcError.of(
                    JsonRpcError.TIMED_OUT, "MCP request timed out after " + timeout.toMillis() + " ms"));
        } catch (ExecutionException e) {
            throw new IllegalStateException("a client's answer never fails", e);
        } finally {
            asked.remove(id);
        }
    }
}
