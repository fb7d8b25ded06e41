package dev.capsem.toolserver;

import dev.capsem.wire.json.Json;
import dev.capsem.wire.jsonrpc.JsonRpcMessage.Notification;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/// News of one call for a caller who gave a progress token: what was added, gathered so that a chatty command does not
/// flood the client, and at least a sign of life every second.
final class ProgressFeed implements AutoCloseable {
    private static final Duration EVERY = Duration.ofSeconds(1);
    private static final Duration GATHER = Duration.ofMillis(50);
    /// Longer news lose their beginning: what a command printed last matters most.
    private static final int NEWS_LENGTH_MAX = 4_096;

    private final Optional<JsonNode> token;
    private final Outlet out;
    private final String what;
    private final long started = System.nanoTime();

    /// Guards what follows.
    private final ReentrantLock lock = new ReentrantLock();

    private final Condition changed = lock.newCondition();
    private final StringBuilder news = new StringBuilder();
    private long lastSent = started - GATHER.toNanos();
    private double lastValue;
    private boolean isClosed;

    ProgressFeed(Optional<JsonNode> token, String what, Outlet out) {
        this.token = token;
        this.what = what;
        this.out = out;
        if (token.isPresent()) {
            Thread.ofVirtual().name("progress").start(this::tick);
        }
    }

    /// The first news go at once; later ones follow within the gathering time. Waiting for the call's end would be too
    /// late: a client may stop listening for progress as soon as it has read the result behind it.
    void add(String text) {
        if (token.isEmpty()) {
            return;
        }
        lock.lock();
        try {
            news.append(text);
            if (news.length() > NEWS_LENGTH_MAX) {
                news.delete(0, news.length() - NEWS_LENGTH_MAX);
            }
            if (System.nanoTime() - lastSent >= GATHER.toNanos()) {
                send();
            } else {
                changed.signal();
            }
        } finally {
            lock.unlock();
        }
    }

    private void tick() {
        lock.lock();
        try {
            while (!isClosed) {
                Duration pause = news.isEmpty() ? EVERY : GATHER;
                long wait = pause.toNanos() - (System.nanoTime() - Math.max(lastSent, started));
                if (wait <= 0) {
                    send();
                } else {
                    changed.awaitNanos(wait);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            lock.unlock();
        }
    }

    /// Requires: the lock is held.
    private void send() {
        double seconds = Math.max(lastValue + 0.001, (System.nanoTime() - started) / 1e9);
        ObjectNode params = Json.object();
        token.ifPresent(value -> params.set("progressToken", value));
        params.put("progress", seconds);
        params.put("message", news.isEmpty() ? what + ": " + Math.round(seconds) + " s" : news.toString());
        news.setLength(0);
        lastValue = seconds;
        lastSent = System.nanoTime();
        out.send(new Notification("notifications/progress", Optional.of(params)));
    }

    /// Nothing is sent afterwards: progress after a result is a mistake of the server.
    @Override
    public void close() {
        lock.lock();
        try {
            if (!isClosed && !news.isEmpty()) {
                send();
            }
            isClosed = true;
            changed.signal();
        } finally {
            lock.unlock();
        }
    }
}
