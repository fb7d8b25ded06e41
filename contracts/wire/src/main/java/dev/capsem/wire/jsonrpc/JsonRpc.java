package dev.capsem.wire.jsonrpc;

import dev.capsem.wire.json.Json;
import dev.capsem.wire.json.JsonShapeException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Optional;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/// Bytes ↔ [JsonRpcMessage].
public final class JsonRpc {
    /// As much as the largest MCP frame carries.
    public static final int MESSAGE_BYTES_MAX = 1_052_656;

    private static final String VERSION = "2.0";
    private static final JsonFactory TOKENS = JsonFactory.builder().build();

    private JsonRpc() {}

    /// The result of parsing some bytes.
    public sealed interface Parsed {
        record Valid(JsonRpcMessage message) implements Parsed {}

        /// @param id as far as it could be read
        /// @param error what to answer if it wanted an answer; never repeats the payload
        record Invalid(Optional<JsonRpcId> id, JsonRpcError error) implements Parsed {}
    }

    public static Parsed parse(byte[] utf8) {
        return parse(utf8, MESSAGE_BYTES_MAX);
    }

    /// @param bytesMax for carriers with a limit of their own
    public static Parsed parse(byte[] utf8, int bytesMax) {
        if (utf8.length > bytesMax) {
            return invalid(
                    Optional.empty(),
                    JsonRpcError.INVALID_REQUEST,
                    "JSON-RPC payload too large: " + utf8.length + " bytes");
        }
        JsonNode document;
        try {
            document = Json.parse(utf8);
        } catch (JsonShapeException e) {
            return invalid(Optional.empty(), JsonRpcError.PARSE_ERROR, "parse error: " + e.getMessage());
        }
        return document instanceof ObjectNode object
                ? message(object, utf8)
                : invalid(Optional.empty(), JsonRpcError.INVALID_REQUEST, "unsupported JSON-RPC version");
    }

    private static Parsed message(ObjectNode object, byte[] utf8) {
        JsonNode idNode = object.get("id");
        Optional<JsonRpcId> id = idNode == null ? Optional.empty() : id(idNode, utf8);
        JsonNode version = object.get("jsonrpc");
        if (version == null || !version.isString() || !version.stringValue().equals(VERSION)) {
            return invalid(id, JsonRpcError.INVALID_REQUEST, "unsupported JSON-RPC version");
        }
        if (idNode != null && id.isEmpty()) {
            return shape(id, "id must be a string, a number or null");
        }
        boolean answers = object.has("result") || object.has("error");
        return answers && !object.has("method") ? response(object, id) : call(object, id);
    }

    private static Parsed call(ObjectNode object, Optional<JsonRpcId> id) {
        JsonNode method = object.get("method");
        if (method == null || !method.isString() || method.stringValue().isEmpty()) {
            return invalid(id, JsonRpcError.INVALID_REQUEST, "missing JSON-RPC method");
        }
        JsonNode params = object.get("params");
        if (params != null && !params.isNull() && !params.isObject()) {
            return shape(id, "params must be an object");
        }
        Optional<ObjectNode> given =
                params instanceof ObjectNode paramsObject ? Optional.of(paramsObject) : Optional.empty();
        return new Parsed.Valid(
                id.isPresent()
                        ? new JsonRpcMessage.Request(id.get(), method.stringValue(), given)
                        : new JsonRpcMessage.Notification(method.stringValue(), given));
    }

    private static Parsed response(ObjectNode object, Optional<JsonRpcId> id) {
        JsonNode result = object.get("result");
        JsonNode error = object.get("error");
        if (result != null && error != null) {
            return shape(id, "result and error exclude one another");
        }
        if (result != null) {
            return id.isPresent()
                    ? new Parsed.Valid(new JsonRpcMessage.Result(id.get(), result))
                    : shape(id, "a result has an id");
        }
        if (error == null || !error.isObject()) {
            return shape(id, "error must be an object");
        }
        JsonNode code = error.get("code");
        JsonNode message = error.get("message");
        if (code == null || !code.isIntegralNumber() || !code.canConvertToInt()) {
            return shape(id, "error.code must be a whole number");
        }
        String text = message == null || !message.isString() ? "" : message.stringValue();
        return new Parsed.Valid(new JsonRpcMessage.Failure(
                id, new JsonRpcError(code.intValue(), text, Optional.ofNullable(error.get("data")))));
    }

    public static byte[] bytes(JsonRpcMessage message) {
        return Json.bytes(tree(message));
    }

    public static ObjectNode tree(JsonRpcMessage message) {
        ObjectNode object = Json.object().put("jsonrpc", VERSION);
        switch (message) {
            case JsonRpcMessage.Request(JsonRpcId id, String method, Optional<ObjectNode> params) -> {
                putId(object, id);
                object.put("method", method);
                params.ifPresent(value -> object.set("params", value));
            }
            case JsonRpcMessage.Notification(String method, Optional<ObjectNode> params) -> {
                object.put("method", method);
                params.ifPresent(value -> object.set("params", value));
            }
            case JsonRpcMessage.Result(JsonRpcId id, JsonNode result) -> {
                putId(object, id);
                object.set("result", result);
            }
            case JsonRpcMessage.Failure(Optional<JsonRpcId> id, JsonRpcError error) -> {
                id.ifPresent(value -> putId(object, value));
                object.set("error", tree(error));
            }
        }
        return object;
    }

    public static ObjectNode tree(JsonRpcError error) {
        ObjectNode object = Json.object().put("code", error.code()).put("message", error.message());
        error.data().ifPresent(data -> object.set("data", data));
        return object;
    }

    /// An id as a member of some other object, such as `requestId` of a cancellation.
    public static Optional<JsonRpcId> id(JsonNode node) {
        return id(node, new byte[0]);
    }

    public static void putId(ObjectNode object, JsonRpcId id) {
        putId(object, "id", id);
    }

    public static void putId(ObjectNode object, String member, JsonRpcId id) {
        switch (id) {
            case JsonRpcId.Text(String text) -> object.put(member, text);
            case JsonRpcId.Numeral(String literal) -> putNumber(object, member, literal);
            case JsonRpcId.Null _ -> object.putNull(member);
        }
    }

    /// A decimal keeps its scale, so `1.50` goes out as `1.50`.
    private static void putNumber(ObjectNode object, String member, String literal) {
        boolean isWhole = literal.chars().allMatch(c -> (c >= '0' && c <= '9') || c == '-');
        if (isWhole && literal.length() <= 18) {
            object.put(member, Long.parseLong(literal));
        } else if (isWhole) {
            object.put(member, new BigInteger(literal));
        } else {
            object.put(member, new BigDecimal(literal));
        }
    }

    private static Optional<JsonRpcId> id(JsonNode node, byte[] document) {
        if (node.isString()) {
            return Optional.of(new JsonRpcId.Text(node.stringValue()));
        }
        if (node.isIntegralNumber()) {
            return Optional.of(new JsonRpcId.Numeral(node.asString()));
        }
        if (node.isNumber()) {
            return Optional.of(literalId(document).orElseGet(node::asString))
                    .filter(JsonRpc::isWritable)
                    .map(JsonRpcId.Numeral::new);
        }
        return node.isNull() ? Optional.of(JsonRpcId.NULL) : Optional.empty();
    }

    /// Whether an answer can carry it: an exponent may have more digits than any number type.
    private static boolean isWritable(String literal) {
        try {
            return !new BigDecimal(literal).toString().isEmpty();
        } catch (NumberFormatException e) {
            return false;
        }
    }

    /// The digits of a fractional id, which the tree has rounded to a double. Rare, so the document is read again.
    private static Optional<String> literalId(byte[] document) {
        try (JsonParser parser = TOKENS.createParser(ObjectReadContext.empty(), document)) {
            parser.nextToken();
            for (String name = parser.nextName(); name != null; name = parser.nextName()) {
                JsonToken value = parser.nextToken();
                if (name.equals("id")) {
                    return value == JsonToken.VALUE_NUMBER_FLOAT ? Optional.of(parser.getString()) : Optional.empty();
                }
                parser.skipChildren();
            }
            return Optional.empty();
        } catch (JacksonException e) {
            return Optional.empty();
        }
    }

    private static Parsed shape(Optional<JsonRpcId> id, String complaint) {
        return invalid(id, JsonRpcError.INVALID_REQUEST, "invalid JSON-RPC request: " + complaint);
    }

    private static Parsed invalid(Optional<JsonRpcId> id, int code, String message) {
        return new Parsed.Invalid(id, JsonRpcError.of(code, message));
    }
}
