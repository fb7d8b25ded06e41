package dev.capsem.mcp;

import dev.capsem.mcp.backend.ToolBackend;
import dev.capsem.wire.aggregator.AggregatorEvent;
import dev.capsem.wire.aggregator.AggregatorReply;
import dev.capsem.wire.aggregator.AggregatorReply.Kind;
import dev.capsem.wire.aggregator.CatalogEntry;
import dev.capsem.wire.aggregator.Operation;
import dev.capsem.wire.json.Json;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Function;
import tools.jackson.databind.node.ObjectNode;

/// A backend whose log says what reached it. A tool named `hang` never answers; others echo their arguments.
final class FakeBackend implements ToolBackend {
    final List<Operation> reached = new CopyOnWriteArrayList<>();
    final BlockingQueue<Operation> arrivals = new LinkedBlockingQueue<>();
    private final Map<Long, Consumer<AggregatorEvent>> listeners = new ConcurrentHashMap<>();
    final List<CatalogEntry> tools = new CopyOnWriteArrayList<>();
    private final AtomicLong lastId = new AtomicLong();
    private final List<Consumer<AggregatorEvent>> everybody = new CopyOnWriteArrayList<>();
    private volatile Function<Operation, Optional<AggregatorReply>> behaviour = operation -> Optional.empty();

    void behave(Function<Operation, Optional<AggregatorReply>> newBehaviour) {
        behaviour = newBehaviour;
    }

    void offer(String server, String definition) {
        tools.add(CatalogEntry.of(Kind.TOOLS, server, (ObjectNode) Json.parse(definition)));
    }

    void say(AggregatorEvent event) {
        everybody.forEach(listener -> listener.accept(event));
    }

    void sayInCourseOf(long call, AggregatorEvent event) {
        listeners.getOrDefault(call, unheard -> {}).accept(event);
    }

    long lastCall() {
        return lastId.get();
    }

    Operation next() throws InterruptedException {
        Operation operation = arrivals.poll(60, TimeUnit.SECONDS);
        if (operation == null) {
            throw new AssertionError("nothing reached the backend");
        }
        return operation;
    }

    @Override
    public Pending submit(Operation operation, Consumer<AggregatorEvent> onEvent) {
        long id = lastId.incrementAndGet();
        listeners.put(id, onEvent);
        reached.add(operation);
        arrivals.add(operation);
        CompletableFuture<AggregatorReply> reply = new CompletableFuture<>();
        answer(operation).ifPresent(reply::complete);
        return new Pending(id, reply);
    }

    @Override
    public void listen(Consumer<AggregatorEvent> onEvent) {
        everybody.add(onEvent);
    }

    private Optional<AggregatorReply> answer(Operation operation) {
        Optional<AggregatorReply> special = behaviour.apply(operation);
        if (special.isPresent()) {
            return special;
        }
        return switch (operation) {
            case Operation.ListTools _ -> Optional.of(new AggregatorReply.Page(Kind.TOOLS, tools, Optional.empty()));
            case Operation.ListResources _ ->
                Optional.of(new AggregatorReply.Page(Kind.RESOURCES, List.of(), Optional.empty()));
            case Operation.CallTool call ->
                call.name().endsWith("__hang") ? Optional.empty() : Optional.of(new AggregatorReply.Result(echo(call)));
            default -> Optional.of(new AggregatorReply.Ok());
        };
    }

    private static ObjectNode echo(Operation.CallTool call) {
        ObjectNode result = Json.object();
        result.putArray("content")
                .addObject()
                .put("type", "text")
                .put("text", Json.text(call.arguments().orElseGet(Json::object)));
        return result;
    }
}
