package dev.capsem.backends.upstream;

import dev.capsem.wire.CapsemVersion;
import dev.capsem.wire.json.Json;
import dev.capsem.wire.jsonrpc.JsonRpc;
import dev.capsem.wire.jsonrpc.JsonRpcError;
import dev.capsem.wire.jsonrpc.JsonRpcId;
import dev.capsem.wire.jsonrpc.JsonRpcMessage;
import dev.capsem.wire.jsonrpc.JsonRpcMessage.Failure;
import dev.capsem.wire.jsonrpc.JsonRpcMessage.Notification;
import dev.capsem.wire.jsonrpc.JsonRpcMessage.Request;
import dev.capsem.wire.jsonrpc.JsonRpcMessage.Result;
import dev.capsem.wire.mcp.McpVersions;
import java.time.Duration;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/// We as the client of one server: requests with ids, answers, and what the server asks of its own. Safe for
/// many threads.
final class Session implements Transport.Inbox {
    /// Takes what the server says unasked. Must not wait.
    interface Listener {
        void notified(String method, Optional<ObjectNode> params, OptionalLong call);

        void asked(JsonRpcId id, String method, Optional<ObjectNode> params, OptionalLong call);

        void lost(String reason);
    }

    private record Waiting(CompletableFuture<ObjectNode> answer, OptionalLong call, Handle handle) {}

    private final Listener listener;
    private final Map<JsonRpcId, Waiting> waiting = new ConcurrentHashMap<>();
    private final AtomicLong lastId = new AtomicLong();
    private volatile @Nullable Transport transport;
    private volatile ObjectNode capabilities = Json.object();

    Session(Listener listener) {
        this.listener = listener;
    }

    /// Opens the conversation over a transport whose inbox is this session.
    void open(Transport newTransport, Duration timeout) throws UpstreamException, InterruptedException {
        transport = newTransport;
        ObjectNode params = Json.object().put("protocolVersion", McpVersions.latest());
        ObjectNode ours = params.putObject("capabilities");
        ours.putObject("roots").put("listChanged", true);
        ours.putObject("sampling");
        ours.putObject("elicitation");
        params.putObject("clientInfo").put("name", "capsem-mcp-aggregator").put("version", CapsemVersion.TEXT);
        ObjectNode result = request("initialize", Optional.of(params), OptionalLong.empty(), timeout);
        String version = result.path("protocolVersion").asString("");
        if (!McpVersions.SUPPORTED.contains(version)) {
            throw UpstreamException.broken("the server speaks a version of MCP that we do not");
        }
        capabilities = result.get("capabilities") instanceof ObjectNode given ? given : Json.object();
        newTransport.negotiated(version);
        notify("notifications/initialized", Optional.empty());
    }

    boolean offers(String capability) {
        return capabilities.has(capability);
    }

    boolean offers(String capability, String member) {
        return capabilities.path(capability).path(member).asBoolean(false);
    }

    /// Waits for the answer.
    ///
    /// @param call the operation that it belongs to
    ObjectNode request(String method, Optional<ObjectNode> params, OptionalLong call, Duration timeout)
            throws UpstreamException, InterruptedException {
        JsonRpcId id = JsonRpcId.of(lastId.incrementAndGet());
        Waiting request = new Waiting(new CompletableFuture<>(), call, new Handle());
        waiting.put(id, request);
        if (transport().isImmediate()) {
            send(new Request(id, method, params), request);
        } else {
            Thread.ofVirtual().name("mcp-request").start(() -> send(new Request(id, method, params), request));
        }
        try {
            return request.answer().get(timeout.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof UpstreamException failure
                    ? failure
                    : UpstreamException.broken("the request failed");
        } catch (TimeoutException e) {
            cancel(id, request, "it took too long");
            throw UpstreamException.of(
                    UpstreamException.Kind.LATE, "the server did not answer within " + timeout.toSeconds() + " s");
        } catch (InterruptedException e) {
            cancel(id, request, "it is no longer wanted");
            throw e;
        } finally {
            waiting.remove(id);
        }
    }

    private void send(Request message, Waiting request) {
        try {
            transport().send(message, request.call(), request.handle());
        } catch (UpstreamException e) {
            request.answer().completeExceptionally(e);
        } catch (RuntimeException e) {
            request.answer().completeExceptionally(UpstreamException.broken("the request could not be sent"));
        }
    }

    private void cancel(JsonRpcId id, Waiting request, String reason) {
        ObjectNode params = Json.object();
        JsonRpc.putId(params, "requestId", id);
        params.put("reason", reason);
        Thread.ofVirtual().name("mcp-cancel").start(() -> {
            try {
                notify("notifications/cancelled", Optional.of(params));
            } catch (UpstreamException e) {
                // It could not be told; it will find nobody to answer.
            } finally {
                request.handle().close();
            }
        });
    }

    void notify(String method, Optional<ObjectNode> params) throws UpstreamException {
        transport().send(new Notification(method, params), OptionalLong.empty(), new Handle());
    }

    /// Answers what the server asked.
    void answer(JsonRpcMessage answer) throws UpstreamException {
        transport().send(answer, OptionalLong.empty(), new Handle());
    }

    private Transport transport() throws UpstreamException {
        Transport current = transport;
        if (current == null) {
            throw UpstreamException.broken("the server is not connected");
        }
        return current;
    }

    @Override
    public void received(JsonRpcMessage message, OptionalLong call) {
        switch (message) {
            case Result(JsonRpcId id, JsonNode result) -> {
                Waiting request = waiting.get(id);
                if (request != null) {
                    if (result instanceof ObjectNode object) {
                        request.answer().complete(object);
                    } else {
                        request.answer().completeExceptionally(UpstreamException.broken("the result is no object"));
                    }
                }
            }
            case Failure(Optional<JsonRpcId> id, JsonRpcError error) -> {
                Optional<Waiting> request = id.map(waiting::get);
                request.ifPresent(found -> found.answer().completeExceptionally(UpstreamException.refused(error)));
            }
            case Notification(String method, Optional<ObjectNode> params) ->
                listener.notified(method, params, owner(method, params, call));
            case Request(JsonRpcId id, String method, Optional<ObjectNode> params) -> {
                if (method.equals("ping")) {
                    Thread.ofVirtual().start(() -> pong(id));
                } else {
                    listener.asked(id, method, params, call.isPresent() ? call : only());
                }
            }
        }
    }

    private void pong(JsonRpcId id) {
        try {
            answer(new Result(id, Json.object()));
        } catch (UpstreamException e) {
            listener.lost(e.reason());
        }
    }

    /// Tokens are numbers in a row over all servers: one that belongs to no call of this server is another one's.
    private OptionalLong owner(String method, Optional<ObjectNode> params, OptionalLong call) {
        if (method.equals("notifications/progress")) {
            return params.map(object -> object.path("progressToken"))
                    .filter(JsonNode::isIntegralNumber)
                    .map(token -> OptionalLong.of(token.asLong()))
                    .filter(this::isUnderWay)
                    .orElseGet(OptionalLong::empty);
        }
        return call;
    }

    private boolean isUnderWay(OptionalLong call) {
        return waiting.values().stream().anyMatch(request -> request.call().equals(call));
    }

    /// If the transport cannot tell, but only one call is under way, it must be that one's.
    private OptionalLong only() {
        Set<Long> calls = new HashSet<>();
        waiting.values().forEach(request -> request.call().ifPresent(calls::add));
        return calls.size() == 1 ? OptionalLong.of(calls.iterator().next()) : OptionalLong.empty();
    }

    @Override
    public void spoiled(Optional<JsonRpcId> id, String reason) {
        waiting.forEach((each, request) -> {
            if (id.isEmpty() || id.get().equals(each)) {
                request.answer().completeExceptionally(UpstreamException.broken(reason));
            }
        });
    }

    @Override
    public void lost(String reason) {
        waiting.values().forEach(request -> request.answer().completeExceptionally(UpstreamException.broken(reason)));
        listener.lost(reason);
    }

    int inFlight() {
        return waiting.size();
    }

    void close() {
        Transport current = transport;
        if (current != null) {
            current.close();
        }
        waiting.values().forEach(request -> {
            request.handle().close();
            request.answer().completeExceptionally(UpstreamException.broken("the server was disconnected"));
        });
    }
}
