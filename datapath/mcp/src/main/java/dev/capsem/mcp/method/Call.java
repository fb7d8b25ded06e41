package dev.capsem.mcp.method;

import dev.capsem.wire.aggregator.AggregatorReply.Kind;
import dev.capsem.wire.aggregator.Namespace;
import dev.capsem.wire.json.Json;
import dev.capsem.wire.jsonrpc.JsonRpcError;
import dev.capsem.wire.jsonrpc.JsonRpcMessage.Request;
import java.util.Optional;
import java.util.Set;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/// A guest's request, understood: who it is for, and what is asked. What cannot be understood is a call as well
/// ([Action.Refuse]), so that it is judged and recorded like any other.
///
/// @param server as rules and records know it
/// @param tool the tool's own name, if the method names one
/// @param name the whole name or URI as the guest said it
/// @param arguments what rules see and may rewrite
/// @param argumentsMember where they stand in the params; empty if they are all of the params
public record Call(
        Request request,
        String server,
        Optional<String> tool,
        Optional<String> name,
        Optional<JsonNode> arguments,
        String argumentsMember,
        Action action) {
    /// Of a name that leads nowhere.
    static final String UNKNOWN_SERVER = "unknown";

    private static final Set<String> LEVELS =
            Set.of("debug", "info", "notice", "warning", "error", "critical", "alert", "emergency");

    /// The action once the call is allowed.
    public sealed interface Action {
        record Initialize() implements Action {}

        record Ping() implements Action {}

        record ListEntries(Kind kind) implements Action {}

        record CallTool(ToolRoute route) implements Action {}

        record ReadResource() implements Action {}

        record GetPrompt() implements Action {}

        record Complete() implements Action {}

        record SetLevel(String level) implements Action {}

        record Subscribe() implements Action {}

        record Unsubscribe() implements Action {}

        record Refuse(JsonRpcError error) implements Action {}

        /// Nobody has a tool of that name, so there is nothing to decide about.
        record NoTool(JsonRpcError error) implements Action {}
    }

    public static Call of(Request request) {
        return switch (request.method()) {
            case "initialize" -> own(request, new Action.Initialize());
            case "ping" -> own(request, new Action.Ping());
            case "tools/list" -> own(request, new Action.ListEntries(Kind.TOOLS));
            case "resources/list" -> own(request, new Action.ListEntries(Kind.RESOURCES));
            case "resources/templates/list" -> own(request, new Action.ListEntries(Kind.TEMPLATES));
            case "prompts/list" -> own(request, new Action.ListEntries(Kind.PROMPTS));
            case "tools/call" -> callTool(request);
            case "prompts/get" -> getPrompt(request);
            case "resources/read" -> resource(request, new Action.ReadResource());
            case "resources/subscribe" -> resource(request, new Action.Subscribe());
            case "resources/unsubscribe" -> resource(request, new Action.Unsubscribe());
            case "completion/complete" -> complete(request);
            case "logging/setLevel" -> setLevel(request);
            default -> refused(request, JsonRpcError.METHOD_NOT_FOUND, "method not found: " + request.method());
        };
    }

    /// `params._meta`, without the token of progress, which is the guest's own.
    public Optional<ObjectNode> meta() {
        return metaNode().flatMap(meta -> {
            ObjectNode rest = meta.deepCopy();
            rest.remove("progressToken");
            return rest.isEmpty() ? Optional.empty() : Optional.of(rest);
        });
    }

    /// The params with no more of `_meta` than rules saw.
    public ObjectNode judgedParams() {
        ObjectNode params = request.paramsOrEmpty().deepCopy();
        params.remove("_meta");
        meta().ifPresent(meta -> params.set("_meta", meta));
        return params;
    }

    public Optional<JsonNode> progressToken() {
        return metaNode().map(meta -> meta.get("progressToken")).filter(token -> token.isString() || token.isNumber());
    }

    /// W3C trace context, if the guest brought one.
    public Optional<String> traceparent() {
        return metaNode().flatMap(meta -> text(meta, "traceparent"));
    }

    /// The same call after a rule changed its arguments.
    public Call withArguments(ObjectNode changed) {
        ObjectNode params = request.paramsOrEmpty().deepCopy();
        if (argumentsMember.isEmpty()) {
            JsonNode meta = params.get("_meta");
            params = changed.deepCopy();
            if (meta != null) {
                params.set("_meta", meta);
            }
        } else {
            params.set(argumentsMember, changed);
        }
        // Rules may change what is asked, never whom: the route was judged as it is.
        Call again = of(new Request(request.id(), request.method(), Optional.of(params)));
        return again.server.equals(server) && again.name.equals(name)
                ? again
                : refused(request, JsonRpcError.INVALID_REQUEST, "a rewrite must not change where a request goes");
    }

    private static Call own(Request request, Action action) {
        return new Call(request, ToolRoute.BUILTIN, Optional.empty(), Optional.empty(), params(request), "", action);
    }

    private static Call callTool(Request request) {
        ObjectNode params = request.paramsOrEmpty();
        Optional<String> name = text(params, "name").filter(text -> !text.isEmpty());
        if (name.isEmpty()) {
            return refused(request, JsonRpcError.INVALID_PARAMS, "missing tool name");
        }
        Optional<ToolRoute> route = ToolRoute.of(name.get());
        Action action = route.isEmpty()
                ? noTool(name.get())
                : objectOrAbsent(params, "arguments")
                        .map(Action.class::cast)
                        .orElseGet(() -> new Action.CallTool(route.get()));
        return new Call(
                request,
                route.map(ToolRoute::server).orElse(UNKNOWN_SERVER),
                Optional.of(route.map(ToolRoute::tool).orElse(name.get())),
                name,
                Optional.ofNullable(params.get("arguments")),
                "arguments",
                action);
    }

    /// The same call, now that it is known to lead nowhere.
    public Call failing(JsonRpcError error) {
        return new Call(request, server, tool, name, arguments, argumentsMember, new Action.Refuse(error));
    }

    private static Action noTool(String name) {
        return new Action.NoTool(noSuchTool(name));
    }

    /// The answer to a call of a tool that does not exist.
    public static JsonRpcError noSuchTool(String name) {
        return JsonRpcError.of(JsonRpcError.INVALID_PARAMS, "tool not found: " + name);
    }

    private static Call getPrompt(Request request) {
        ObjectNode params = request.paramsOrEmpty();
        Optional<String> name = text(params, "name").filter(text -> !text.isEmpty());
        if (name.isEmpty()) {
            return refused(request, JsonRpcError.INVALID_PARAMS, "missing prompt name");
        }
        Optional<Namespace.Split> split = Namespace.splitName(name.get());
        Action action = split.isEmpty()
                ? new Action.Refuse(JsonRpcError.of(JsonRpcError.INVALID_PARAMS, "prompt not found: " + name.get()))
                : objectOrAbsent(params, "arguments").map(Action.class::cast).orElseGet(Action.GetPrompt::new);
        return new Call(
                request,
                split.map(Namespace.Split::server).orElse(UNKNOWN_SERVER),
                Optional.empty(),
                name,
                Optional.ofNullable(params.get("arguments")),
                "arguments",
                action);
    }

    private static Call resource(Request request, Action action) {
        Optional<String> uri = text(request.paramsOrEmpty(), "uri").filter(text -> !text.isEmpty());
        if (uri.isEmpty()) {
            return refused(request, JsonRpcError.INVALID_PARAMS, "missing resource URI");
        }
        Optional<Namespace.Split> split = Namespace.splitUri(uri.get());
        return new Call(
                request,
                split.map(Namespace.Split::server).orElse(UNKNOWN_SERVER),
                Optional.empty(),
                uri,
                params(request),
                "",
                split.isPresent()
                        ? action
                        : new Action.Refuse(JsonRpcError.of(JsonRpcError.RESOURCE_NOT_FOUND, "resource not found")
                                .with(Json.object().put("uri", uri.get()))));
    }

    /// A reference has one member that says whose it is. With two, one could be judged and the other answered.
    private static Call complete(Request request) {
        ObjectNode reference =
                request.paramsOrEmpty().path("ref") instanceof ObjectNode object ? object : Json.object();
        Optional<String> prompt = text(reference, "name");
        Optional<String> uri = text(reference, "uri");
        if (reference.has("name") && reference.has("uri")) {
            return refused(request, JsonRpcError.INVALID_PARAMS, "a reference has either a name or a uri, not both");
        }
        Optional<Namespace.Split> split =
                uri.isPresent() ? uri.flatMap(Namespace::splitUri) : prompt.flatMap(Namespace::splitName);
        return split.isEmpty()
                ? refused(request, JsonRpcError.INVALID_PARAMS, "completion needs the name of a prompt or resource")
                : new Call(
                        request,
                        split.get().server(),
                        Optional.empty(),
                        uri.or(() -> prompt),
                        params(request),
                        "",
                        new Action.Complete());
    }

    private static Call setLevel(Request request) {
        Optional<String> level = text(request.paramsOrEmpty(), "level").filter(LEVELS::contains);
        return level.isEmpty()
                ? refused(request, JsonRpcError.INVALID_PARAMS, "level must be one of MCP's eight log levels")
                : own(request, new Action.SetLevel(level.get()));
    }

    private static Call refused(Request request, int code, String message) {
        return new Call(
                request,
                ToolRoute.BUILTIN,
                Optional.empty(),
                Optional.empty(),
                params(request),
                "",
                new Action.Refuse(JsonRpcError.of(code, message)));
    }

    private static Optional<Action.Refuse> objectOrAbsent(ObjectNode params, String member) {
        JsonNode value = params.get(member);
        return value == null || value.isNull() || value.isObject()
                ? Optional.empty()
                : Optional.of(
                        new Action.Refuse(JsonRpcError.of(JsonRpcError.INVALID_PARAMS, member + " must be an object")));
    }

    private static Optional<JsonNode> params(Request request) {
        return request.params().flatMap(params -> {
            ObjectNode rest = params.deepCopy();
            rest.remove("_meta");
            return rest.isEmpty() ? Optional.empty() : Optional.of(rest);
        });
    }

    private Optional<ObjectNode> metaNode() {
        return request.params()
                .map(params -> params.get("_meta"))
                .filter(ObjectNode.class::isInstance)
                .map(ObjectNode.class::cast);
    }

    private static Optional<String> text(ObjectNode object, String member) {
        JsonNode value = object.get(member);
        return value != null && value.isString() ? Optional.of(value.stringValue()) : Optional.empty();
    }
}
