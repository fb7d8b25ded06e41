package dev.capsem.mcp;

import dev.capsem.events.traffic.ConnectionHandoff;
import dev.capsem.mcp.connection.Capacity;
import dev.capsem.mcp.connection.EndpointDependencies;
import dev.capsem.mcp.connection.McpConnection;
import dev.capsem.wire.aggregator.AggregatorEvent;
import dev.capsem.wire.aggregator.AggregatorEvent.ServerNotification;
import dev.capsem.wire.aggregator.AggregatorEvent.ServerRequest;
import dev.capsem.wire.aggregator.Operation;
import dev.capsem.wire.jsonrpc.JsonRpcError;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ByteChannel;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/// Serves MCP to one sandbox. Every message, whichever way it goes, is judged before it goes on and recorded.
public final class McpEndpoint implements ConnectionHandoff {
    private final EndpointDependencies parts;
    private final Capacity capacity;
    private final Set<McpConnection> open = ConcurrentHashMap.newKeySet();

    /// One endpoint per backend: it listens to what the backend's servers say.
    public McpEndpoint(EndpointDependencies parts) {
        this.parts = parts;
        this.capacity = new Capacity(parts.limits());
        parts.backend().listen(this::serverSaid);
    }

    @Override
    public void serve(ByteChannel channel, ByteBuffer received, Optional<String> processName) throws IOException {
        if (!capacity.tryConnect()) {
            throw new IOException("the sandbox has too many MCP connections");
        }
        McpConnection connection = new McpConnection(parts, capacity, channel, processName);
        open.add(connection);
        try {
            connection.run(received);
        } finally {
            open.remove(connection);
            capacity.disconnected();
        }
    }

    /// Requests under way, of all connections.
    public int inFlight() {
        return capacity.underWay();
    }

    private void serverSaid(AggregatorEvent event) {
        switch (event) {
            case ServerNotification said -> open.forEach(connection -> connection.tell(said));
            case ServerRequest request -> ask(request);
        }
    }

    /// A server that asks out of the blue is answered only if it is clear who is meant.
    private void ask(ServerRequest request) {
        List<McpConnection> able = open.stream()
                .filter(connection -> connection.isAble(request.method()))
                .toList();
        if (able.size() == 1) {
            able.getFirst().ask(request);
            return;
        }
        parts.backend()
                .tell(new Operation.Answer(
                        request.token(),
                        new Operation.Outcome.Refusal(JsonRpcError.of(
                                JsonRpcError.METHOD_NOT_FOUND,
                                able.isEmpty()
                                        ? "no client supports " + request.method()
                                        : "several clients could answer " + request.method()))));
    }
}
