package dev.capsem.mcp.connection;

import dev.capsem.mcp.method.Call;
import dev.capsem.mcp.method.Call.Action;
import dev.capsem.wire.aggregator.AggregatorEvent.ServerNotification;
import dev.capsem.wire.aggregator.AggregatorEvent.ServerRequest;
import dev.capsem.wire.aggregator.Operation;
import dev.capsem.wire.jsonrpc.JsonRpc;
import dev.capsem.wire.jsonrpc.JsonRpcMessage;
import dev.capsem.wire.jsonrpc.JsonRpcMessage.Notification;
import dev.capsem.wire.jsonrpc.JsonRpcMessage.Request;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Predicate;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/// The MCP client at the guest's end: what it declared, and the three kinds of messages it exchanges with servers.
/// Knows nothing of frames.
final class McpClientSession {
    private final EndpointDependencies parts;
    private final ClientRequests requests;
    private final ServerRequests serverRequests;
    private final Notifications notifications;
    private volatile Set<String> capabilities = Set.of();
    private volatile String level = "debug";

    /// @param unasked sends a message that answers nothing, or says that there is no room; must not wait
    McpClientSession(EndpointDependencies parts, Predicate<JsonRpcMessage> unasked) {
        this.parts = parts;
        this.requests = new ClientRequests(parts, this);
        this.serverRequests = new ServerRequests(parts, unasked);
        this.notifications = new Notifications(parts, this, unasked);
    }

    /// The client is gone.
    void close() {
        serverRequests.close();
        parts.interests().forget(this);
    }

    /// Whether the client said it can do this.
    boolean isAble(String serverMethod) {
        return ServerRequests.capability(serverMethod)
                .map(capabilities::contains)
                .orElse(false);
    }

    /// The least severity of log messages that the client wants.
    String level() {
        return level;
    }

    /// Keeps what a call that was let through says about its client.
    void adopt(Call call) {
        if (call.action() instanceof Action.Initialize) {
            capabilities = call.request().paramsOrEmpty().get("capabilities") instanceof ObjectNode object
                    ? Set.copyOf(object.propertyNames())
                    : Set.of();
        } else if (call.action() instanceof Action.SetLevel(String wanted)) {
            level = wanted;
        }
    }

    /// From now on the client can cancel it.
    ///
    /// @return completes when it does
    CompletableFuture<Void> begin(Request request) {
        return requests.begin(request);
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
        Optional<JsonNode> progressToken = Call.of(request).progressToken();
        return requests.request(request, withdrawn, processName, event -> {
            switch (event) {
                case ServerNotification said -> notifications.ofServer(said, progressToken);
                case ServerRequest asked -> onServerRequest.accept(asked);
            }
        });
    }

    void notification(Notification notification, String processName) {
        notifications.ofClient(notification, processName, this::delivered);
    }

    private void delivered(Notification notification) {
        switch (notification.method()) {
            case "notifications/cancelled" ->
                Optional.ofNullable(notification.paramsOrEmpty().get("requestId"))
                        .flatMap(JsonRpc::id)
                        .ifPresent(requests::cancel);
            case "notifications/roots/list_changed" -> parts.backend().tell(new Operation.RootsChanged());
            default -> {}
        }
    }

    /// The client's answer to something that a server asked.
    void response(JsonRpcMessage answer) {
        serverRequests.response(answer);
    }

    void serverNotification(ServerNotification said) {
        notifications.ofServer(said, Optional.empty());
    }

    /// Puts a server's question to the client and hands the answer back. Waits for it.
    void serverRequest(ServerRequest request) throws InterruptedException {
        serverRequests.request(request, isAble(request.method()));
    }
}
