package dev.capsem.wire.jsonrpc;

import dev.capsem.wire.json.Json;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/// One message. The trees inside belong to it and are not to be changed.
public sealed interface JsonRpcMessage {
    record Request(JsonRpcId id, String method, Optional<ObjectNode> params) implements JsonRpcMessage {
        /// Its params; an empty object if there are none.
        public ObjectNode paramsOrEmpty() {
            return params.orElseGet(Json::object);
        }
    }

    record Notification(String method, Optional<ObjectNode> params) implements JsonRpcMessage {
        public ObjectNode paramsOrEmpty() {
            return params.orElseGet(Json::object);
        }
    }

    record Result(JsonRpcId id, JsonNode result) implements JsonRpcMessage {}

    /// @param id absent when it could not be told which request it answers
    record Failure(Optional<JsonRpcId> id, JsonRpcError error) implements JsonRpcMessage {}
}
