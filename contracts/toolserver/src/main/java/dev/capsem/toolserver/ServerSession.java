package dev.capsem.toolserver;

import dev.capsem.wire.json.Json;
import dev.capsem.wire.json.JsonMembers;
import dev.capsem.wire.json.JsonShapeException;
import dev.capsem.wire.jsonrpc.JsonRpc;
import dev.capsem.wire.jsonrpc.JsonRpcError;
import dev.capsem.wire.jsonrpc.JsonRpcId;
import dev.capsem.wire.jsonrpc.JsonRpcMessage;
import dev.capsem.wire.jsonrpc.JsonRpcMessage.Failure;
import dev.capsem.wire.jsonrpc.JsonRpcMessage.Notification;
import dev.capsem.wire.jsonrpc.JsonRpcMessage.Request;
import dev.capsem.wire.jsonrpc.JsonRpcMessage.Result;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/// The conversation with one client, whatever carries it.
public final class ServerSession {
    /// Calls at once; one more is refused.
    static final int CALLS_MAX = 256;

    private final ToolServer server;
    private final Consumer<String> log;
    private final Map<JsonRpcId, Running> running = new ConcurrentHashMap<>();

    /// @param log told the kind of a bug of ours, never what was said
    public ServerSession(ToolServer server, Consumer<String> log) {
        this.server = server;
        this.log = log;
    }

    private static final class Running {
        private @Nullable Thread thread;
        private boolean isCancelled;
        private boolean isDone;

        /// False if it was cancelled before it began.
        synchronized boolean start() {
            thread = Thread.currentThread();
            return !isCancelled;
        }

        /// The interrupt hits the call and nothing that the thread does later.
        synchronized void cancel() {
            isCancelled = true;
            if (!isDone && thread != null) {
                thread.interrupt();
            }
        }

        synchronized boolean finish() {
            isDone = true;
            return isCancelled;
        }
    }

    /// Those that may take long deserve a thread of their own.
    public static boolean isQuick(Request request) {
        return switch (request.method()) {
            case "tools/call", "resources/list", "resources/read" -> false;
            default -> true;
        };
    }

    /// Answers, unless the call is cancelled meanwhile; returns when that is done.
    public void answer(Request request, Outlet out) {
        begin(request, out).run();
    }

    /// The same in two steps: from the first on the call can be cancelled, the second does the work.
    public Runnable begin(Request request, Outlet out) {
        if (isQuick(request)) {
            return () -> out.send(quick(request));
        }
        if (running.size() >= CALLS_MAX) {
            return () ->
                    out.send(failure(request, JsonRpcError.INTERNAL_ERROR, "too many calls at once: " + CALLS_MAX));
        }
        Running call = new Running();
        if (running.putIfAbsent(request.id(), call) != null) {
            return () -> out.send(
                    failure(request, JsonRpcError.INVALID_REQUEST, "this id is in use by a call that still runs"));
        }
        return () -> work(request, call, out);
    }

    private void work(Request request, Running call, Outlet out) {
        try {
            if (!call.start()) {
                return;
            }
            JsonRpcMessage reply = slow(request, out);
            boolean isCancelled = call.finish();
            running.remove(request.id(), call);
            if (isCancelled) {
                // Whoever lent the thread gets it back without the mark.
                Thread.interrupted();
            } else {
                out.send(reply);
            }
        } finally {
            running.remove(request.id(), call);
        }
    }

    public void noted(Notification notification) {
        if (notification.method().equals("notifications/cancelled")) {
            Optional.ofNullable(notification.paramsOrEmpty().get("requestId"))
                    .flatMap(JsonRpc::id)
                    .map(running::get)
                    .ifPresent(Running::cancel);
        }
    }

    /// Ends all calls.
    public void close() {
        running.values().forEach(Running::cancel);
    }

    private JsonRpcMessage quick(Request request) {
        return switch (request.method()) {
            case "initialize" ->
                new Result(
                        request.id(),
                        server.handshake(
                                request.paramsOrEmpty().path("protocolVersion").asString("")));
            case "ping" -> new Result(request.id(), Json.object());
            case "tools/list" ->
                page(
                        request,
                        "tools",
                        server.tools().values().stream()
                                .map(McpTool::definition)
                                .toList());
            case "resources/templates/list" ->
                server.resources()
                        .map(resources -> page(request, "resourceTemplates", resources.templates()))
                        .orElseGet(() -> unknownMethod(request));
            case "prompts/list" ->
                server.prompts().isEmpty()
                        ? unknownMethod(request)
                        : page(
                                request,
                                "prompts",
                                server.prompts().values().stream()
                                        .map(Prompt::definition)
                                        .toList());
            case "prompts/get" -> prompt(request);
            default -> unknownMethod(request);
        };
    }

    /// Everything fits one page, so no cursor of ours is out there.
    private static JsonRpcMessage page(Request request, String member, List<ObjectNode> items) {
        if (request.paramsOrEmpty().hasNonNull("cursor")) {
            return failure(request, JsonRpcError.INVALID_PARAMS, "unknown cursor: list again without one");
        }
        ObjectNode result = Json.object();
        ArrayNode array = result.putArray(member);
        items.forEach(array::add);
        return new Result(request.id(), result);
    }

    private JsonRpcMessage prompt(Request request) {
        Prompt prompt =
                server.prompts().get(request.paramsOrEmpty().path("name").asString(""));
        if (prompt == null) {
            return server.prompts().isEmpty()
                    ? unknownMethod(request)
                    : failure(request, JsonRpcError.INVALID_PARAMS, "no such prompt: see prompts/list");
        }
        try {
            Map<String, String> given =
                    JsonMembers.of(request.paramsOrEmpty(), "params").textMap("arguments");
            Optional<Prompt.Blank> missing = prompt.blanks().stream()
                    .filter(blank -> blank.isRequired() && !given.containsKey(blank.name()))
                    .findFirst();
            return missing.<JsonRpcMessage>map(blank -> failure(
                            request, JsonRpcError.INVALID_PARAMS, "the prompt needs the argument " + blank.name()))
                    .orElseGet(() -> new Result(request.id(), prompt.filled(given)));
        } catch (JsonShapeException e) {
            return failure(request, JsonRpcError.INVALID_PARAMS, e.reason());
        }
    }

    private JsonRpcMessage slow(Request request, Outlet out) {
        try {
            return switch (request.method()) {
                case "tools/call" -> call(request, out);
                case "resources/list" -> listed(request);
                default -> read(request);
            };
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return failure(request, JsonRpcError.INTERNAL_ERROR, "interrupted");
        } catch (ToolFailure e) {
            return failure(request, JsonRpcError.INTERNAL_ERROR, e.reason() + "; " + e.remedy());
        } catch (RuntimeException e) {
            log.accept("call failed: " + e.getClass().getName());
            return failure(
                    request,
                    JsonRpcError.INTERNAL_ERROR,
                    "internal error: " + e.getClass().getSimpleName());
        }
    }

    private JsonRpcMessage listed(Request request) throws InterruptedException {
        return server.resources().isEmpty()
                ? unknownMethod(request)
                : page(request, "resources", server.resources().get().list());
    }

    private JsonRpcMessage read(Request request) throws InterruptedException {
        if (server.resources().isEmpty()) {
            return unknownMethod(request);
        }
        String uri = request.paramsOrEmpty().path("uri").asString("");
        Optional<ObjectNode> content = server.resources().get().read(uri);
        if (content.isEmpty()) {
            return failure(request, JsonRpcError.RESOURCE_NOT_FOUND, "there is no such resource");
        }
        ObjectNode result = Json.object();
        result.putArray("contents").add(content.get());
        return new Result(request.id(), result);
    }

    private Result call(Request request, Outlet out) throws InterruptedException {
        ObjectNode params = request.paramsOrEmpty();
        String name = params.path("name").asString("");
        McpTool tool = server.tools().get(name);
        Optional<JsonNode> token =
                Optional.ofNullable(params.path("_meta").get("progressToken")).filter(JsonNode::isValueNode);
        ToolAnswer answer;
        try (var progress = new ProgressFeed(token, name, out)) {
            answer = tool == null ? server.failed(unknownTool(name)) : run(tool, params.get("arguments"), progress);
        }
        return new Result(request.id(), answer.toJson());
    }

    private ToolAnswer run(McpTool tool, @Nullable JsonNode given, ProgressFeed progress) throws InterruptedException {
        if (given != null && !given.isNull() && !given.isObject()) {
            return server.failed(new ToolFailure(
                    "invalid_arguments",
                    "the arguments of " + tool.name() + " are not an object",
                    "send an object that matches the tool's inputSchema"));
        }
        ObjectNode arguments = given instanceof ObjectNode object ? object : Json.object();
        Optional<ArgumentSchema.Complaint> complaint = tool.input().check(tool.name(), arguments);
        if (complaint.isPresent()) {
            return server.failed(new ToolFailure(
                    complaint.get().code(),
                    complaint.get().cause(),
                    complaint.get().remedy()));
        }
        try {
            return tool.work().run(new ToolCall(arguments, progress));
        } catch (ToolFailure e) {
            return server.failed(e);
        } catch (JsonShapeException e) {
            return server.failed(new ToolFailure(
                    "invalid_arguments", tool.name() + ": " + e.reason(), "send arguments that match its inputSchema"));
        }
    }

    private static ToolFailure unknownTool(String name) {
        String shown = name.length() > 64 ? name.substring(0, 64) + "…" : name;
        return new ToolFailure(
                "unknown_tool",
                "there is no tool \"" + shown + "\" on this server",
                "call tools/list and use one of the names it gives");
    }

    private static Failure unknownMethod(Request request) {
        return failure(request, JsonRpcError.METHOD_NOT_FOUND, "unknown method \"" + request.method() + "\"");
    }

    private static Failure failure(Request request, int code, String message) {
        return new Failure(Optional.of(request.id()), JsonRpcError.of(code, message));
    }
}
