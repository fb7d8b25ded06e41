package dev.capsem.mcp.connection;

import dev.capsem.wire.jsonrpc.JsonRpcError;
import tools.jackson.databind.node.ObjectNode;

/// What became of a call that was let through.
sealed interface Reply {
    record Success(ObjectNode result) implements Reply {}

    record Failure(JsonRpcError error) implements Reply {}

    /// The client no longer wants it: nothing is sent.
    record Cancelled() implements Reply {}
}
