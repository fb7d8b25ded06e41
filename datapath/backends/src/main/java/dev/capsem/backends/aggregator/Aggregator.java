package dev.capsem.backends.aggregator;

import dev.capsem.backends.http.HttpClient;
import dev.capsem.backends.line.EventLog;
import dev.capsem.backends.line.LineWriter;
import dev.capsem.backends.upstream.McpUpstream;
import dev.capsem.backends.upstream.UpstreamException;
import dev.capsem.wire.aggregator.AggregatorEvent;
import dev.capsem.wire.aggregator.AggregatorProtocol;
import dev.capsem.wire.aggregator.AggregatorReply;
import dev.capsem.wire.aggregator.AggregatorReply.Kind;
import dev.capsem.wire.aggregator.AggregatorRequest;
import dev.capsem.wire.aggregator.CatalogEntry;
import dev.capsem.wire.aggregator.LineSplitter;
import dev.capsem.wire.aggregator.LineSplitter.Cut;
import dev.capsem.wire.aggregator.Namespace;
import dev.capsem.wire.aggregator.Operation;
import dev.capsem.wire.aggregator.ServerDefinition;
import dev.capsem.wire.json.Json;
import dev.capsem.wire.json.JsonShapeException;
import dev.capsem.wire.jsonrpc.JsonRpcError;
import dev.capsem.wire.jsonrpc.JsonRpcId;
import dev.capsem.wire.jsonrpc.JsonRpcMessage;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/// Reads operations, carries each out on a thread of its own, writes replies as they are ready.
public final class Aggregator implements McpUpstream.Listener {
    /// Operations at once; one more is refused, since waiting could hold up the answer that another one waits for.
    static final int OPERATIONS_MAX = 1_024;

    /// Of a page of a catalog, which leaves room for the rest of its line.
    private static final int PAGE_BYTES_MAX = 768 * 1024;

    private static final int READ_BYTES = 64 * 1024;

    private final LineWriter out;
    private final HttpClient http;
    private final EventLog log;
    /// Replaced as a whole; an operation reads it once.
    private volatile UpstreamSet upstreams;

    /// What no line may hold.
    private volatile ServerTokens tokens = ServerTokens.NONE;

    private final Map<Long, Thread> underWay = new ConcurrentHashMap<>();
    private final Semaphore operations = new Semaphore(OPERATIONS_MAX);
    private final Map<Long, Question> questions = new ConcurrentHashMap<>();
    private final AtomicLong lastToken = new AtomicLong();
    private boolean isFirstLine = true;
    private volatile boolean isOver;

    /// Open requests of servers.
    private record Question(McpUpstream server, JsonRpcId id) {}

    public Aggregator(LineWriter out, HttpClient http, EventLog log) {
        this.out = out;
        this.http = http;
        this.log = log;
        this.upstreams = UpstreamSet.none();
    }

    /// Until the input ends or somebody says shutdown. Then every server is disconnected.
    public void run(InputStream in) {
        LineSplitter lines = new LineSplitter(AggregatorProtocol.LINE_BYTES_MAX);
        byte[] chunk = new byte[READ_BYTES];
        try {
            for (int count = in.read(chunk); count >= 0 && !isOver; count = in.read(chunk)) {
                lines.feed(chunk, count, this::received);
                if (isOver) {
                    break;
                }
            }
        } catch (IOException e) {
            log.warn("input.failed");
        }
        upstreams.close();
        out.finish();
    }

    private void received(Cut cut) {
        if (isOver) {
            return;
        }
        switch (cut) {
            case Cut.TooLong _ -> log.warn("line.skipped", "reason", "too long");
            case Cut.Line(byte[] line) -> {
                try {
                    if (isFirstLine) {
                        isFirstLine = false;
                        List<ServerDefinition> definitions = ServerDefinition.listOf(Json.parse(line));
                        tokens = ServerTokens.of(definitions);
                        upstreams = UpstreamSet.start(definitions, http, this, log);
                    } else {
                        begin(AggregatorProtocol.request(line));
                    }
                } catch (JsonShapeException e) {
                    log.warn("line.skipped", "reason", String.valueOf(e.getMessage()));
                }
            }
        }
    }

    private void begin(AggregatorRequest request) {
        switch (request.operation()) {
            case Operation.Shutdown _ -> {
                isOver = true;
                out.write(AggregatorProtocol.line(request.id(), new AggregatorReply.Ok()));
            }
            // These two set others free, so they never wait in line.
            case Operation.Cancel(long call, Optional<String> _) -> {
                underWay.computeIfPresent(call, (id, thread) -> {
                    thread.interrupt();
                    return thread;
                });
                reply(request.id(), new AggregatorReply.Ok());
            }
            case Operation.Answer(long token, Operation.Outcome outcome) -> {
                Thread.ofVirtual().name("answer").start(() -> answer(token, outcome));
                reply(request.id(), new AggregatorReply.Ok());
            }
            default -> {
                if (operations.tryAcquire()) {
                    Thread operation =
                            Thread.ofVirtual().name("operation-" + request.id()).unstarted(() -> carryOut(request));
                    underWay.put(request.id(), operation);
                    operation.start();
                } else {
                    reply(request.id(), AggregatorReply.Failed.of("too many operations at once: " + OPERATIONS_MAX));
                }
            }
        }
    }

    private void carryOut(AggregatorRequest request) {
        AggregatorReply reply;
        try {
            reply = outcome(request.id(), request.operation());
        } catch (UpstreamException e) {
            reply = failed(e);
        } catch (InterruptedException e) {
            reply = AggregatorReply.Failed.of("cancelled");
        } catch (RuntimeException e) {
            // The boundary of an operation: our own bug ends it, and nothing else.
            log.warn("operation.failed", "reason", e.getClass().getSimpleName());
            reply = AggregatorReply.Failed.of("internal error");
        } finally {
            operations.release();
            underWay.remove(request.id());
        }
        // From here on nobody interrupts; a cancellation that came late must not cost the reply.
        boolean _ = Thread.interrupted();
        reply(request.id(), reply);
    }

    private AggregatorReply outcome(long id, Operation operation) throws UpstreamException, InterruptedException {
        UpstreamSet now = upstreams;
        return switch (operation) {
            case Operation.ListServers(Optional<String> awaited) -> {
                now.settle();
                Optional<McpUpstream> _ = awaited.flatMap(now::server);
                yield new AggregatorReply.Servers(now.status());
            }
            case Operation.ListTools(Optional<String> cursor) -> page(now, Kind.TOOLS, cursor);
            case Operation.ListResources(Optional<String> cursor) -> page(now, Kind.RESOURCES, cursor);
            case Operation.ListTemplates(Optional<String> cursor) -> page(now, Kind.TEMPLATES, cursor);
            case Operation.ListPrompts(Optional<String> cursor) -> page(now, Kind.PROMPTS, cursor);
            case Operation.CallTool call -> callTool(now, call, id);
            case Operation.GetPrompt call -> {
                Namespace.Split name = split(Namespace.splitName(call.name()), "prompt name", call.name());
                yield result(
                        server(now, name),
                        "prompts/get",
                        named(name, call.arguments()),
                        call.meta(),
                        call.wantsProgress(),
                        id);
            }
            case Operation.ReadResource read ->
                ofResource(now, "resources/read", read.uri(), read.meta(), read.wantsProgress(), id);
            case Operation.Subscribe(String uri) ->
                ofResource(now, "resources/subscribe", uri, Optional.empty(), false, id);
            case Operation.Unsubscribe(String uri) ->
                ofResource(now, "resources/unsubscribe", uri, Optional.empty(), false, id);
            case Operation.Complete(ObjectNode params) -> complete(now, params, id);
            case Operation.SetLevel(String level) -> {
                for (McpUpstream server : now.all()) {
                    if (server.offers("logging")) {
                        setLevel(server, level, id);
                    }
                }
                yield new AggregatorReply.Ok();
            }
            case Operation.RootsChanged _ -> {
                now.all().forEach(server -> server.notify("notifications/roots/list_changed"));
                yield new AggregatorReply.Ok();
            }
            case Operation.Refresh refresh -> refresh(refresh.servers());
            case Operation.Shutdown _, Operation.Cancel _, Operation.Answer _ ->
                throw new IllegalStateException("answered before");
        };
    }

    private AggregatorReply callTool(UpstreamSet now, Operation.CallTool call, long id)
            throws UpstreamException, InterruptedException {
        Namespace.Split name = split(Namespace.splitName(call.name()), "tool name", call.name());
        McpUpstream server = server(now, name);
        return server.definition().allows(name.original())
                ? result(server, "tools/call", named(name, call.arguments()), call.meta(), call.wantsProgress(), id)
                : AggregatorReply.Failed.of("tool not allowed: " + call.name());
    }

    private static ObjectNode named(Namespace.Split name, Optional<ObjectNode> arguments) {
        ObjectNode params = Json.object().put("name", name.original());
        arguments.filter(given -> !given.isEmpty()).ifPresent(given -> params.set("arguments", given));
        return params;
    }

    private AggregatorReply ofResource(
            UpstreamSet now, String method, String text, Optional<ObjectNode> meta, boolean wantsProgress, long id)
            throws UpstreamException, InterruptedException {
        Namespace.Split uri = split(Namespace.splitUri(text), "resource URI", text);
        ObjectNode params = Json.object().put("uri", uri.original());
        return result(server(now, uri), method, params, meta, wantsProgress, id);
    }

    private void setLevel(McpUpstream server, String level, long id) throws InterruptedException {
        try {
            server.request("logging/setLevel", Json.object().put("level", level), id);
        } catch (UpstreamException e) {
            log.warn("server.level.failed", "server", server.definition().name(), "reason", e.reason());
        }
    }

    private AggregatorReply complete(UpstreamSet now, ObjectNode params, long id)
            throws UpstreamException, InterruptedException {
        ObjectNode changed = params.deepCopy();
        if (!(changed.get("ref") instanceof ObjectNode reference)) {
            return AggregatorReply.Failed.of("completion without a reference");
        }
        if (reference.has("uri") && reference.has("name")) {
            return AggregatorReply.Failed.of("a reference has either a name or a uri, not both");
        }
        String member = reference.has("uri") ? "uri" : "name";
        String text = reference.path(member).asString("");
        Namespace.Split name =
                split(member.equals("uri") ? Namespace.splitUri(text) : Namespace.splitName(text), "reference", text);
        reference.put(member, name.original());
        return result(server(now, name), "completion/complete", changed, Optional.empty(), false, id);
    }

    private AggregatorReply result(
            McpUpstream server,
            String method,
            ObjectNode params,
            Optional<ObjectNode> meta,
            boolean wantsProgress,
            long id)
            throws UpstreamException, InterruptedException {
        if (meta.isPresent() || wantsProgress) {
            ObjectNode all = meta.map(ObjectNode::deepCopy).orElseGet(Json::object);
            if (wantsProgress) {
                all.put("progressToken", id);
            }
            params.set("_meta", all);
        }
        ObjectNode result = server.request(method, params, id);
        return new AggregatorReply.Result(
                ResourceLinks.namespaced(server.definition().name(), result));
    }

    private static Namespace.Split split(Optional<Namespace.Split> split, String what, String text)
            throws UpstreamException {
        return split.orElseThrow(() -> UpstreamException.broken("invalid namespaced " + what + ": " + text));
    }

    private static McpUpstream server(UpstreamSet now, Namespace.Split name) throws UpstreamException {
        return now.server(name.server())
                .orElseThrow(() -> UpstreamException.broken("server not found: " + name.server()));
    }

    private AggregatorReply page(UpstreamSet now, Kind kind, Optional<String> cursor) {
        now.settle();
        List<CatalogEntry> page = new ArrayList<>();
        int size = 0;
        for (CatalogEntry entry : now.catalog(kind)) {
            if (cursor.isPresent() && entry.key().compareTo(cursor.get()) <= 0) {
                continue;
            }
            // Names and members around the definition take less than as much again.
            size += Json.bytes(entry.definition()).length + 2 * entry.key().length() + 200;
            if (size > PAGE_BYTES_MAX && !page.isEmpty()) {
                return new AggregatorReply.Page(
                        kind, page, Optional.of(page.getLast().key()));
            }
            page.add(entry);
        }
        return new AggregatorReply.Page(kind, page, Optional.empty());
    }

    /// The new servers are tried before the old ones go; calls in progress finish on the old ones.
    private AggregatorReply refresh(List<ServerDefinition> definitions) {
        // The old ones may still say theirs.
        ServerTokens both = tokens.and(definitions);
        tokens = both;
        UpstreamSet next = UpstreamSet.start(definitions, http, this, log);
        next.settle();
        UpstreamSet before = swap(next);
        Thread.ofVirtual().name("drain").start(() -> {
            try {
                before.drain();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        for (String kind : List.of("tools", "resources", "prompts")) {
            notified("", OptionalLong.empty(), "notifications/" + kind + "/list_changed", Optional.empty());
        }
        return new AggregatorReply.Ok();
    }

    /// Two at once must not drain the same servers and forget others.
    private synchronized UpstreamSet swap(UpstreamSet next) {
        UpstreamSet before = upstreams;
        upstreams = next;
        return before;
    }

    private static AggregatorReply failed(UpstreamException e) {
        return e.error()
                .<AggregatorReply>map(error ->
                        new AggregatorReply.Failed(error.message(), OptionalInt.of(error.code()), error.data()))
                .orElseGet(() -> AggregatorReply.Failed.of(e.reason()));
    }

    private void reply(long id, AggregatorReply reply) {
        byte[] line = tokens.without(AggregatorProtocol.line(id, reply));
        out.write(
                line.length <= AggregatorProtocol.LINE_BYTES_MAX
                        ? line
                        : AggregatorProtocol.line(
                                id, AggregatorReply.Failed.of("result too large: " + line.length + " bytes")));
    }

    // --- servers speak ------------------------------------------------------------------------------------------

    @Override
    public void notified(String server, OptionalLong call, String method, Optional<ObjectNode> params) {
        event(new AggregatorEvent.ServerNotification(server, call, method, params));
    }

    @Override
    public void asked(McpUpstream source, JsonRpcId id, OptionalLong call, String method, Optional<ObjectNode> params) {
        long token = lastToken.incrementAndGet();
        questions.put(token, new Question(source, id));
        String server = source.definition().name();
        Optional<ObjectNode> named = params.map(said -> ResourceLinks.namespaced(server, said));
        boolean isTold = event(new AggregatorEvent.ServerRequest(server, call, token, method, named));
        if (!isTold) {
            Thread.ofVirtual()
                    .name("answer")
                    .start(() -> answer(
                            token,
                            new Operation.Outcome.Refusal(
                                    JsonRpcError.of(JsonRpcError.INTERNAL_ERROR, "the client is busy"))));
        }
    }

    /// False if it is too large or nobody keeps up: what a server says unasked must not fill our memory.
    private boolean event(AggregatorEvent event) {
        byte[] line = tokens.without(AggregatorProtocol.line(event));
        return line.length <= AggregatorProtocol.LINE_BYTES_MAX && out.offer(line);
    }

    private void answer(long token, Operation.Outcome outcome) {
        Question question = questions.remove(token);
        if (question == null) {
            return;
        }
        question.server()
                .answer(
                        switch (outcome) {
                            case Operation.Outcome.Success(JsonNode result) ->
                                new JsonRpcMessage.Result(question.id(), result);
                            case Operation.Outcome.Refusal(JsonRpcError error) ->
                                new JsonRpcMessage.Failure(Optional.of(question.id()), error);
                        });
    }
}
