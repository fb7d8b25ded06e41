package dev.capsem.mcp.connection;

import dev.capsem.wire.jsonrpc.JsonRpcError;
import tools.jackson.databind.node.ObjectNode;

/// The outcome of a call that was let through.
sealed interface McpReply {
    record Success(ObjectNode result) implements McpReply {}

    record Failure(JsonRpcError error) implements McpReply {}

    /// The client no longer wants it: nothing is sent.
    record Cancelled() implements McpReply {}
}
