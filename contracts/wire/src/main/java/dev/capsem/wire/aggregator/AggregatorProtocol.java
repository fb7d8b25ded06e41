package dev.capsem.wire.aggregator;

import dev.capsem.wire.aggregator.AggregatorReply.Kind;
import dev.capsem.wire.json.Json;
import dev.capsem.wire.json.JsonMembers;
import dev.capsem.wire.json.JsonShapeException;
import dev.capsem.wire.jsonrpc.JsonRpc;
import dev.capsem.wire.jsonrpc.JsonRpcError;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/// Lines ↔ messages. Readers throw [JsonShapeException], whose message never repeats the line.
public final class AggregatorProtocol {
    /// Of a line, without its line feed.
    public static final int LINE_BYTES_MAX = 1_048_576;

    private AggregatorProtocol() {}

    /// A line of the aggregator.
    public sealed interface Line {
        record Reply(long id, AggregatorReply reply) implements Line {}

        record Event(AggregatorEvent event) implements Line {}
    }

    // --- to the aggregator --------------------------------------------------------------------------------------

    public static byte[] line(AggregatorRequest request) {
        return Json.bytes(tree(request.id(), request.operation()));
    }

    private static ObjectNode tree(long id, Operation operation) {
        ObjectNode json = Json.object().put("id", id).put("method", method(operation));
        switch (operation) {
            case Operation.Shutdown _, Operation.RootsChanged _ -> {}
            case Operation.ListServers(Optional<String> awaited) ->
                awaited.ifPresent(server -> json.putObject("params").put("awaited", server));
            case Operation.ListTools(Optional<String> cursor) -> putCursor(json, cursor);
            case Operation.ListResources(Optional<String> cursor) -> putCursor(json, cursor);
            case Operation.ListPrompts(Optional<String> cursor) -> putCursor(json, cursor);
            case Operation.ListTemplates(Optional<String> cursor) -> putCursor(json, cursor);
            case Operation.CallTool call ->
                putCall(
                        json.putObject("params").put("name", call.name()),
                        Optional.of(call.arguments().orElseGet(Json::object)),
                        call.meta(),
                        call.wantsProgress());
            case Operation.GetPrompt call ->
                putCall(
                        json.putObject("params").put("name", call.name()),
                        Optional.of(call.arguments().orElseGet(Json::object)),
                        call.meta(),
                        call.wantsProgress());
            case Operation.ReadResource call ->
                putCall(
                        json.putObject("params").put("uri", call.uri()),
                        Optional.empty(),
                        call.meta(),
                        call.wantsProgress());
            case Operation.Refresh refresh ->
                json.putObject("params").set("servers", ServerDefinition.toJson(refresh.servers()));
            case Operation.Complete(ObjectNode params) -> json.set("params", params);
            case Operation.SetLevel(String level) -> json.putObject("params").put("level", level);
            case Operation.Subscribe(String uri) -> json.putObject("params").put("uri", uri);
            case Operation.Unsubscribe(String uri) -> json.putObject("params").put("uri", uri);
            case Operation.Cancel(long call, Optional<String> reason) -> {
                ObjectNode params = json.putObject("params").put("call", call);
                reason.ifPresent(text -> params.put("reason", text));
            }
            case Operation.Answer(long token, Operation.Outcome outcome) -> {
                ObjectNode params = json.putObject("params").put("token", token);
                switch (outcome) {
                    case Operation.Outcome.Success(JsonNode result) -> params.set("result", result);
                    case Operation.Outcome.Refusal(JsonRpcError error) -> params.set("error", JsonRpc.tree(error));
                }
            }
        }
        return json;
    }

    public static String method(Operation operation) {
        return switch (operation) {
            case Operation.ListServers _ -> "list_servers";
            case Operation.ListTools _ -> "list_tools";
            case Operation.ListResources _ -> "list_resources";
            case Operation.ListPrompts _ -> "list_prompts";
            case Operation.ListTemplates _ -> "list_resource_templates";
            case Operation.CallTool _ -> "call_tool";
            case Operation.ReadResource _ -> "read_resource";
            case Operation.GetPrompt _ -> "get_prompt";
            case Operation.Refresh _ -> "refresh";
            case Operation.Shutdown _ -> "shutdown";
            case Operation.Complete _ -> "complete";
            case Operation.SetLevel _ -> "set_level";
            case Operation.Subscribe _ -> "subscribe";
            case Operation.Unsubscribe _ -> "unsubscribe";
            case Operation.Cancel _ -> "cancel";
            case Operation.Answer _ -> "answer";
            case Operation.RootsChanged _ -> "roots_changed";
        };
    }

    public static AggregatorRequest request(byte[] line) {
        JsonMembers json = JsonMembers.of(Json.parse(line), "");
        return new AggregatorRequest(json.number("id"), operation(json));
    }

    private static Operation operation(JsonMembers json) {
        return switch (json.text("method")) {
            case "list_servers" ->
                new Operation.ListServers(
                        json.optionalObject("params").flatMap(params -> params.optionalText("awaited")));
            case "list_tools" -> new Operation.ListTools(cursor(json));
            case "list_resources" -> new Operation.ListResources(cursor(json));
            case "list_prompts" -> new Operation.ListPrompts(cursor(json));
            case "list_resource_templates" -> new Operation.ListTemplates(cursor(json));
            case "call_tool" -> {
                JsonMembers params = json.object("params");
                yield new Operation.CallTool(
                        params.text("name"),
                        object(params, "arguments"),
                        object(params, "_meta"),
                        wantsProgress(params));
            }
            case "read_resource" -> {
                JsonMembers params = json.object("params");
                yield new Operation.ReadResource(params.text("uri"), object(params, "_meta"), wantsProgress(params));
            }
            case "get_prompt" -> {
                JsonMembers params = json.object("params");
                yield new Operation.GetPrompt(
                        params.text("name"),
                        object(params, "arguments"),
                        object(params, "_meta"),
                        wantsProgress(params));
            }
            case "refresh" ->
                new Operation.Refresh(ServerDefinition.listOf(json.object("params")
                        .node("servers")
                        .orElseThrow(() -> new JsonShapeException("params.servers is missing"))));
            case "shutdown" -> new Operation.Shutdown();
            case "complete" ->
                new Operation.Complete(
                        object(json, "params").orElseThrow(() -> new JsonShapeException("params is missing")));
            case "set_level" -> new Operation.SetLevel(json.object("params").text("level"));
            case "subscribe" -> new Operation.Subscribe(json.object("params").text("uri"));
            case "unsubscribe" ->
                new Operation.Unsubscribe(json.object("params").text("uri"));
            case "cancel" ->
                new Operation.Cancel(
                        json.object("params").number("call"),
                        json.object("params").optionalText("reason"));
            case "answer" -> answer(json.object("params"));
            case "roots_changed" -> new Operation.RootsChanged();
            default -> throw new JsonShapeException("method is not known");
        };
    }

    private static Operation answer(JsonMembers params) {
        Optional<JsonNode> result = params.node("result");
        if (result.isPresent()) {
            return new Operation.Answer(params.number("token"), new Operation.Outcome.Success(result.get()));
        }
        JsonMembers error = params.object("error");
        return new Operation.Answer(
                params.number("token"),
                new Operation.Outcome.Refusal(
                        new JsonRpcError(error.integer("code"), error.text("message"), error.node("data"))));
    }

    // --- from the aggregator ------------------------------------------------------------------------------------

    public static byte[] line(long id, AggregatorReply reply) {
        ObjectNode json = Json.object().put("id", id);
        switch (reply) {
            case AggregatorReply.Servers servers -> {
                ArrayNode array = json.putArray("servers");
                servers.servers().forEach(status -> array.add(status.toJson()));
            }
            case AggregatorReply.Page page -> {
                ArrayNode array = json.putArray(page.kind().member());
                page.entries().forEach(entry -> array.add(entry.toJson()));
                page.nextCursor().ifPresent(cursor -> json.put("next_cursor", cursor));
            }
            case AggregatorReply.Result(ObjectNode result) -> json.set("result", result);
            case AggregatorReply.Ok _ -> json.put("ok", true);
            case AggregatorReply.Failed failed -> {
                json.put("error", failed.error());
                failed.code().ifPresent(code -> json.put("code", code));
                failed.data().ifPresent(data -> json.set("data", data));
            }
        }
        return Json.bytes(json);
    }

    public static byte[] line(AggregatorEvent event) {
        ObjectNode json = Json.object();
        switch (event) {
            case AggregatorEvent.ServerNotification _ -> json.put("event", "notification");
            case AggregatorEvent.ServerRequest request ->
                json.put("event", "request").put("token", request.token());
        }
        json.put("server", event.server()).put("method", event.method());
        event.call().ifPresent(call -> json.put("call", call));
        event.params().ifPresent(params -> json.set("params", params));
        return Json.bytes(json);
    }

    public static Line fromAggregator(byte[] line) {
        JsonMembers json = JsonMembers.of(Json.parse(line), "");
        if (json.has("event")) {
            return new Line.Event(event(json));
        }
        return new Line.Reply(json.number("id"), reply(json));
    }

    private static AggregatorEvent event(JsonMembers json) {
        String server = json.text("server");
        OptionalLong call = json.optionalNumber("call");
        String method = json.text("method");
        Optional<ObjectNode> params = object(json, "params");
        return switch (json.text("event")) {
            case "notification" -> new AggregatorEvent.ServerNotification(server, call, method, params);
            case "request" -> new AggregatorEvent.ServerRequest(server, call, json.number("token"), method, params);
            default -> throw new JsonShapeException("event is not known");
        };
    }

    /// The order matters only for lines that carry more than one of these, which none of ours does.
    private static AggregatorReply reply(JsonMembers json) {
        if (json.has("error")) {
            return new AggregatorReply.Failed(
                    json.text("error"),
                    json.optionalInteger("code").map(OptionalInt::of).orElseGet(OptionalInt::empty),
                    json.node("data"));
        }
        if (json.has("servers")) {
            return new AggregatorReply.Servers(
                    json.objects("servers").stream().map(ServerStatus::of).toList());
        }
        for (Kind kind : Kind.values()) {
            if (json.has(kind.member())) {
                return new AggregatorReply.Page(
                        kind, CatalogEntry.listOf(kind, json), json.optionalText("next_cursor"));
            }
        }
        if (json.has("result")) {
            return new AggregatorReply.Result(
                    object(json, "result").orElseThrow(() -> new JsonShapeException("result must be an object")));
        }
        if (json.flag("ok", false)) {
            return new AggregatorReply.Ok();
        }
        throw new JsonShapeException("the reply says nothing");
    }

    private static void putCursor(ObjectNode json, Optional<String> cursor) {
        cursor.ifPresent(value -> json.putObject("params").put("cursor", value));
    }

    private static Optional<String> cursor(JsonMembers json) {
        return json.optionalObject("params").flatMap(params -> params.optionalText("cursor"));
    }

    private static void putCall(
            ObjectNode params, Optional<ObjectNode> arguments, Optional<ObjectNode> meta, boolean wantsProgress) {
        arguments.ifPresent(value -> params.set("arguments", value));
        meta.ifPresent(value -> params.set("_meta", value));
        if (wantsProgress) {
            params.put("progress", true);
        }
    }

    private static boolean wantsProgress(JsonMembers params) {
        return params.flag("progress", false);
    }

    private static Optional<ObjectNode> object(JsonMembers json, String name) {
        return json.node(name).filter(ObjectNode.class::isInstance).map(ObjectNode.class::cast);
    }
}
