package dev.capsem.sandboxmcp.io;

import dev.capsem.toolserver.ServerSession;
import dev.capsem.toolserver.ToolServer;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/// The conversations of the HTTP transport.
final class HttpSessions {
    /// One more finds the longest idle one gone.
    private static final int SESSIONS_MAX = 256;

    private final ToolServer server;
    private final Consumer<String> log;
    private final Map<String, Kept> sessions = new ConcurrentHashMap<>();

    HttpSessions(ToolServer server, Consumer<String> log) {
        this.server = server;
        this.log = log;
    }

    private static final class Kept {
        private final ServerSession session;
        private volatile long lastUsed = System.nanoTime();

        Kept(ServerSession session) {
            this.session = session;
        }
    }

    record Opened(String id, ServerSession session) {}

    Opened open() {
        if (sessions.size() >= SESSIONS_MAX) {
            long now = System.nanoTime();
            sessions.entrySet().stream()
                    .max((a, b) -> Long.compare(now - a.getValue().lastUsed, now - b.getValue().lastUsed))
                    .ifPresent(oldest -> end(oldest.getKey()));
        }
        String id = UUID.randomUUID().toString();
        var session = new ServerSession(server, log);
        sessions.put(id, new Kept(session));
        return new Opened(id, session);
    }

    Optional<ServerSession> find(String id) {
        Kept kept = sessions.get(id);
        if (kept == null) {
            return Optional.empty();
        }
        kept.lastUsed = System.nanoTime();
        return Optional.of(kept.session);
    }

    /// Ends its calls too. False if there was none.
    boolean end(String id) {
        Kept kept = sessions.remove(id);
        if (kept == null) {
            return false;
        }
        kept.session.close();
        return true;
    }
}
