package dev.capsem.wire.aggregator;

import dev.capsem.wire.jsonrpc.JsonRpcError;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/// The operations of the aggregator. The first nine are the protocol's core; the others carry the rest of MCP.
public sealed interface Operation {
    /// @param awaited a server that may still be connecting for the first time: the answer waits for that
    record ListServers(Optional<String> awaited) implements Operation {
        public ListServers() {
            this(Optional.empty());
        }
    }

    /// @param cursor where the last page ended
    record ListTools(Optional<String> cursor) implements Operation {}

    record ListResources(Optional<String> cursor) implements Operation {}

    record ListPrompts(Optional<String> cursor) implements Operation {}

    /// @param arguments what the server gets; absent and empty are the same to it
    /// @param wantsProgress whether progress of this call is of interest
    record CallTool(String name, Optional<ObjectNode> arguments, Optional<ObjectNode> meta, boolean wantsProgress)
            implements Operation {}

    record ReadResource(String uri, Optional<ObjectNode> meta, boolean wantsProgress) implements Operation {}

    record GetPrompt(String name, Optional<ObjectNode> arguments, Optional<ObjectNode> meta, boolean wantsProgress)
            implements Operation {}

    record Refresh(List<ServerDefinition> servers) implements Operation {
        public Refresh {
            servers = List.copyOf(servers);
        }
    }

    record Shutdown() implements Operation {}

    record ListTemplates(Optional<String> cursor) implements Operation {}

    /// @param params of `completion/complete`, its reference namespaced
    record Complete(ObjectNode params) implements Operation {}

    /// To every server that logs.
    record SetLevel(String level) implements Operation {}

    record Subscribe(String uri) implements Operation {}

    record Unsubscribe(String uri) implements Operation {}

    /// @param call id of the operation that is no longer wanted
    record Cancel(long call, Optional<String> reason) implements Operation {}

    /// The client's answer to a server's own request.
    ///
    /// @param token of the [AggregatorEvent.ServerRequest]
    record Answer(long token, Outcome outcome) implements Operation {}

    /// The client's roots are not what they were.
    record RootsChanged() implements Operation {}

    sealed interface Outcome {
        record Success(JsonNode result) implements Outcome {}

        record Refusal(JsonRpcError error) implements Outcome {}
    }
}
