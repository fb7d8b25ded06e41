package dev.capsem.mcp.connection;

import dev.capsem.mcp.backend.ToolBackend;
import dev.capsem.wire.aggregator.AggregatorReply;
import dev.capsem.wire.aggregator.Operation;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/// What the clients of one sandbox together want to hear of. Servers know them as one client, so they are told of the
/// first who subscribes, of the last who leaves, and of the most talkative log level.
public final class SharedInterests {
    static final List<String> LEVELS =
            List.of("debug", "info", "notice", "warning", "error", "critical", "alert", "emergency");

    private final ToolBackend backend;

    /// Guards the two maps below.
    private final Object lock = new Object();

    private final Map<String, Set<Object>> subscribers = new HashMap<>();
    private final Map<Object, String> levels = new HashMap<>();

    public SharedInterests(ToolBackend backend) {
        this.backend = backend;
    }

    CompletableFuture<AggregatorReply> subscribe(Object client, String uri) {
        boolean isFirst;
        synchronized (lock) {
            Set<Object> clients = subscribers.computeIfAbsent(uri, any -> new HashSet<>());
            isFirst = clients.isEmpty();
            clients.add(client);
        }
        CompletableFuture<AggregatorReply> reply = isFirst ? backend.submit(new Operation.Subscribe(uri)) : done();
        return reply.thenApply(answer -> {
            if (answer instanceof AggregatorReply.Failed) {
                forget(client, uri);
            }
            return answer;
        });
    }

    CompletableFuture<AggregatorReply> unsubscribe(Object client, String uri) {
        return forget(client, uri) ? backend.submit(new Operation.Unsubscribe(uri)) : done();
    }

    boolean isSubscribed(Object client, String uri) {
        synchronized (lock) {
            return subscribers.getOrDefault(uri, Set.of()).contains(client);
        }
    }

    CompletableFuture<AggregatorReply> level(Object client, String level) {
        String lowest;
        synchronized (lock) {
            levels.put(client, level);
            lowest = levels.values().stream()
                    .min((left, right) -> Integer.compare(LEVELS.indexOf(left), LEVELS.indexOf(right)))
                    .orElse(level);
        }
        return backend.submit(new Operation.SetLevel(lowest));
    }

    /// The client is gone.
    void forget(Object client) {
        List<String> abandoned;
        synchronized (lock) {
            levels.remove(client);
            abandoned = subscribers.entrySet().stream()
                    .filter(entry -> entry.getValue().contains(client))
                    .map(Map.Entry::getKey)
                    .toList();
        }
        for (String uri : abandoned) {
            if (forget(client, uri)) {
                backend.tell(new Operation.Unsubscribe(uri));
            }
        }
    }

    /// Whether nobody is left.
    private boolean forget(Object client, String uri) {
        synchronized (lock) {
            Set<Object> clients = subscribers.getOrDefault(uri, new HashSet<>());
            boolean isGone = clients.remove(client) && clients.isEmpty();
            if (isGone) {
                subscribers.remove(uri);
            }
            return isGone;
        }
    }

    private static CompletableFuture<AggregatorReply> done() {
        return CompletableFuture.completedFuture(new AggregatorReply.Ok());
    }
}
