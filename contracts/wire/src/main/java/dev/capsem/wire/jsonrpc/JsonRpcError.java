package dev.capsem.wire.jsonrpc;

import java.util.Optional;
import tools.jackson.databind.JsonNode;

/// Why a request has no result.
///
/// @param data not to be changed
public record JsonRpcError(int code, String message, Optional<JsonNode> data) {
    public static final int PARSE_ERROR = -32700;
    public static final int INVALID_REQUEST = -32600;
    public static final int METHOD_NOT_FOUND = -32601;
    public static final int INVALID_PARAMS = -32602;
    public static final int INTERNAL_ERROR = -32603;
    /// The other side did not answer in time.
    public static final int TIMED_OUT = -32000;
    /// The connection ended before the answer came.
    public static final int DISCONNECTED = -32001;
    public static final int RESOURCE_NOT_FOUND = -32002;

    public static JsonRpcError of(int code, String message) {
        return new JsonRpcError(code, message, Optional.empty());
    }

    public JsonRpcError with(JsonNode extra) {
        return new JsonRpcError(code, message, Optional.of(extra));
    }
}
