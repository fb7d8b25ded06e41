package dev.capsem.mcp.connection;

import dev.capsem.mcp.backend.ToolBackend;
import dev.capsem.mcp.method.Call;
import dev.capsem.mcp.method.Call.Action;
import dev.capsem.mcp.method.Pages;
import dev.capsem.mcp.method.ToolRoute;
import dev.capsem.mcp.method.Versions;
import dev.capsem.wire.aggregator.AggregatorEvent;
import dev.capsem.wire.aggregator.AggregatorReply;
import dev.capsem.wire.aggregator.AggregatorReply.Kind;
import dev.capsem.wire.aggregator.CatalogEntry;
import dev.capsem.wire.aggregator.Operation;
import dev.capsem.wire.json.Json;
import dev.capsem.wire.jsonrpc.JsonRpcError;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/// Carries out calls that were let through.
final class Dispatch {
    /// More pages than a catalog of ours can have; a backend that never ends its list is cut off here.
    private static final int PAGES_MAX = 64;

    private static final String SERVER_NAME = "capsem-mcp-mitm-endpoint";

    private final EndpointDependencies parts;
    private final Object client;

    /// @param client whose interests these are
    Dispatch(EndpointDependencies parts, Object client) {
        this.parts = parts;
        this.client = client;
    }

    /// @param withdrawn completes when the client cancels
    /// @param onEvent told what servers say in the course of it
    McpReply run(Call call, CompletableFuture<?> withdrawn, Consumer<AggregatorEvent> onEvent)
            throws InterruptedException {
        Duration timeout = call.action() instanceof Action.CallTool
                ? parts.limits().toolTimeout()
                : parts.limits().requestTimeout();
        return switch (call.action()) {
            case Action.Initialize _ -> new McpReply.Success(handshake(call));
            case Action.Ping _ -> new McpReply.Success(Json.object());
            case Action.Refuse(JsonRpcError error) -> new McpReply.Failure(error);
            case Action.NoTool(JsonRpcError error) -> new McpReply.Failure(error);
            case Action.ListEntries(Kind kind) -> list(call, kind, withdrawn, timeout);
            case Action.CallTool(ToolRoute route) ->
                result(
                        submit(
                                new Operation.CallTool(
                                        route.backendName(),
                                        objectIn(call, "arguments"),
                                        call.meta(),
                                        call.progressToken().isPresent()),
                                onEvent,
                                withdrawn,
                                timeout),
                        "tool call failed: ");
            case Action.GetPrompt _ ->
                result(
                        submit(
                                new Operation.GetPrompt(
                                        name(call),
                                        objectIn(call, "arguments"),
                                        call.meta(),
                                        call.progressToken().isPresent()),
                                onEvent,
                                withdrawn,
                                timeout),
                        "prompt get failed: ");
            case Action.ReadResource _ ->
                result(
                        submit(
                                new Operation.ReadResource(
                                        name(call),
                                        call.meta(),
                                        call.progressToken().isPresent()),
                                onEvent,
                                withdrawn,
                                timeout),
                        "resource read failed: ");
            case Action.Complete _ ->
                result(
                        submit(new Operation.Complete(call.judgedParams()), onEvent, withdrawn, timeout),
                        "completion failed: ");
            case Action.SetLevel(String level) ->
                result(await(0, parts.interests().level(client, level), withdrawn, timeout), "set level failed: ");
            case Action.Subscribe _ ->
                result(
                        await(0, parts.interests().subscribe(client, name(call)), withdrawn, timeout),
                        "subscribe failed: ");
            case Action.Unsubscribe _ ->
                result(
                        await(0, parts.interests().unsubscribe(client, name(call)), withdrawn, timeout),
                        "unsubscribe failed: ");
        };
    }

    /// The result of waiting for the backend.
    private sealed interface Awaited {
        record Done(AggregatorReply reply) implements Awaited {}

        record Over(McpReply reply) implements Awaited {}
    }

    private Awaited submit(
            Operation operation, Consumer<AggregatorEvent> onEvent, CompletableFuture<?> withdrawn, Duration timeout)
            throws InterruptedException {
        ToolBackend.Pending pending = parts.backend().submit(operation, onEvent);
        return await(pending.id(), pending.reply(), withdrawn, timeout);
    }

    private Awaited await(
            long id, CompletableFuture<AggregatorReply> reply, CompletableFuture<?> withdrawn, Duration timeout)
            throws InterruptedException {
        try {
            CompletableFuture.anyOf(reply, withdrawn).get(timeout.toMillis(), TimeUnit.MILLISECONDS);
            if (reply.isDone()) {
                return new Awaited.Done(reply.join());
            }
            abandon(id, "the client cancelled it");
            return new Awaited.Over(new McpReply.Cancelled());
        } catch (TimeoutException e) {
            abandon(id, "it took too long");
            return new Awaited.Over(new McpReply.Failure(JsonRpcError.of(
                    JsonRpcError.TIMED_OUT, "MCP request timed out after " + timeout.toMillis() + " ms")));
        } catch (ExecutionException e) {
            throw new IllegalStateException("a backend's reply never fails", e);
        } catch (InterruptedException e) {
            abandon(id, "the connection ended");
            throw e;
        }
    }

    private void abandon(long id, String reason) {
        if (id > 0) {
            parts.backend().tell(new Operation.Cancel(id, Optional.of(reason)));
        }
    }

    private static McpReply result(Awaited awaited, String failure) {
        return switch (awaited) {
            case Awaited.Over(McpReply reply) -> reply;
            case Awaited.Done(AggregatorReply.Result(ObjectNode result)) -> new McpReply.Success(result);
            case Awaited.Done(AggregatorReply.Ok _) -> new McpReply.Success(Json.object());
            case Awaited.Done(AggregatorReply.Failed failed) -> new McpReply.Failure(error(failed, failure));
            case Awaited.Done(AggregatorReply.Servers _), Awaited.Done(AggregatorReply.Page _) ->
                new McpReply.Failure(JsonRpcError.of(JsonRpcError.INTERNAL_ERROR, failure + "unexpected answer"));
        };
    }

    /// A server's own refusal goes to the client as it is; our own has the seed's words.
    private static JsonRpcError error(AggregatorReply.Failed failed, String failure) {
        return failed.code().isPresent()
                ? new JsonRpcError(failed.code().getAsInt(), failed.error(), failed.data())
                : JsonRpcError.of(JsonRpcError.INTERNAL_ERROR, failure + failed.error());
    }

    private McpReply list(Call call, Kind kind, CompletableFuture<?> withdrawn, Duration timeout)
            throws InterruptedException {
        String failure = shownMember(kind) + " list failed: ";
        List<CatalogEntry> entries = new ArrayList<>();
        Optional<String> cursor = Optional.empty();
        for (int page = 0; page < PAGES_MAX; page++) {
            Awaited awaited = submit(operation(kind, cursor), event -> {}, withdrawn, timeout);
            if (!(awaited instanceof Awaited.Done(AggregatorReply.Page(Kind _, List<CatalogEntry> some, var next)))) {
                return result(awaited, failure);
            }
            entries.addAll(some);
            if (next.isEmpty()) {
                List<CatalogEntry> readable =
                        kind == Kind.TOOLS ? parts.ports().trust().shown(entries) : entries;
                return paged(call, kind, readable.stream().map(Dispatch::shown).toList());
            }
            cursor = next;
        }
        return new McpReply.Failure(JsonRpcError.of(JsonRpcError.INTERNAL_ERROR, failure + "too many pages"));
    }

    private static McpReply paged(Call call, Kind kind, List<Pages.Entry> entries) {
        JsonNode cursor = call.request().paramsOrEmpty().get("cursor");
        return Pages.page(
                        shownMember(kind),
                        entries,
                        cursor != null && cursor.isString() ? Optional.of(cursor.stringValue()) : Optional.empty())
                .<McpReply>map(McpReply.Success::new)
                .orElseGet(() ->
                        new McpReply.Failure(JsonRpcError.of(JsonRpcError.INVALID_PARAMS, "cursor is not known")));
    }

    private static Pages.Entry shown(CatalogEntry entry) {
        String name = entry.kind() == Kind.TOOLS ? ToolRoute.shownName(entry.server(), entry.original()) : entry.key();
        return new Pages.Entry(name, entry.shown(name));
    }

    private static Operation operation(Kind kind, Optional<String> cursor) {
        return switch (kind) {
            case TOOLS -> new Operation.ListTools(cursor);
            case RESOURCES -> new Operation.ListResources(cursor);
            case TEMPLATES -> new Operation.ListTemplates(cursor);
            case PROMPTS -> new Operation.ListPrompts(cursor);
        };
    }

    private static String shownMember(Kind kind) {
        return switch (kind) {
            case TOOLS -> "tools";
            case RESOURCES -> "resources";
            case TEMPLATES -> "resourceTemplates";
            case PROMPTS -> "prompts";
        };
    }

    private ObjectNode handshake(Call call) {
        JsonNode wanted = call.request().paramsOrEmpty().get("protocolVersion");
        ObjectNode result = Json.object()
                .put(
                        "protocolVersion",
                        Versions.negotiate(wanted != null && wanted.isString() ? wanted.stringValue() : ""));
        ObjectNode capabilities = result.putObject("capabilities");
        capabilities.putObject("tools").put("listChanged", true);
        capabilities.putObject("resources").put("subscribe", true).put("listChanged", true);
        capabilities.putObject("prompts").put("listChanged", true);
        capabilities.putObject("logging");
        capabilities.putObject("completions");
        result.putObject("serverInfo").put("name", SERVER_NAME).put("version", parts.version());
        return result;
    }

    private static String name(Call call) {
        return call.name().orElseThrow(() -> new IllegalStateException("the call was understood without a name"));
    }

    private static Optional<ObjectNode> objectIn(Call call, String member) {
        return call.request().paramsOrEmpty().get(member) instanceof ObjectNode object
                ? Optional.of(object)
                : Optional.empty();
    }
}
