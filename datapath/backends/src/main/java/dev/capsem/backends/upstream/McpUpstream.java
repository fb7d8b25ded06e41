package dev.capsem.backends.upstream;

import dev.capsem.backends.http.HttpClient;
import dev.capsem.backends.io.Connector;
import dev.capsem.backends.line.EventLog;
import dev.capsem.wire.aggregator.AggregatorReply.Kind;
import dev.capsem.wire.aggregator.CatalogEntry;
import dev.capsem.wire.aggregator.ServerDefinition;
import dev.capsem.wire.aggregator.ServerStatus;
import dev.capsem.wire.jsonrpc.JsonRpcId;
import dev.capsem.wire.jsonrpc.JsonRpcMessage;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import tools.jackson.databind.node.ObjectNode;

/// One server: connects, stays connected, and says what the server offers. While it is not connected, calls fail
/// at once.
public final class McpUpstream {
    private static final String DISCONNECTED = "disconnected";
    private static final Duration CALL_TIMEOUT = Duration.ofSeconds(310);
    private static final Duration BACK_OFF_MIN = Duration.ofMillis(500);
    private static final Duration BACK_OFF_MAX = Duration.ofMinutes(1);
    /// After a list that failed.
    private static final Duration LIST_AGAIN = Duration.ofSeconds(5);

    /// After this many consecutive failures the connection is considered dead: the breaker opens until there is a
    /// new one.
    private static final int BROKEN_MAX = 5;

    /// How long a server may take for one answer of the handshake.
    ///
    /// @param program for the first answer of a program: one that `npx` or `uvx` starts is downloaded first
    /// @param request for everything else
    public record Handshake(Duration program, Duration request) {
        public static final Handshake USUAL = new Handshake(Duration.ofSeconds(90), Duration.ofSeconds(20));
    }

    /// Takes what servers say unasked. Must not wait.
    public interface Listener {
        void notified(String server, OptionalLong call, String method, Optional<ObjectNode> params);

        /// @param source to answer through
        void asked(McpUpstream source, JsonRpcId id, OptionalLong call, String method, Optional<ObjectNode> params);
    }

    private sealed interface State {
        record Down(String why) implements State {}

        record Up(Session session, Catalog catalog) implements State {}
    }

    private final ServerDefinition definition;
    private final HttpClient http;
    private final Listener listener;
    private final EventLog log;
    private final Handshake handshake;
    private final AtomicReference<State> state = new AtomicReference<>(new State.Down(ServerStatus.CONNECTING));
    /// Why its tools are not known at the moment, although it is connected.
    private volatile Optional<String> unlisted = Optional.empty();

    private final AtomicInteger broken = new AtomicInteger();
    private final AtomicInteger calls = new AtomicInteger();
    private final CompletableFuture<Void> triedOnce = new CompletableFuture<>();
    private final CountDownLatch closing = new CountDownLatch(1);
    /// Ends the connection of now: with the reason why it was lost, or because of [#close].
    private volatile CompletableFuture<String> lost = new CompletableFuture<>();
    private final CountDownLatch ended = new CountDownLatch(1);

    public McpUpstream(
            ServerDefinition definition, HttpClient http, Listener listener, EventLog log, Handshake handshake) {
        this.definition = definition;
        this.http = http;
        this.listener = listener;
        this.log = log;
        this.handshake = handshake;
    }

    /// Completes when the first attempt is over, whatever came of it.
    public CompletableFuture<Void> triedOnce() {
        return triedOnce;
    }

    // --- staying connected --------------------------------------------------------------------------------------

    /// Until [#close]. Blocks; give it a thread of its own.
    public void run() {
        Duration backOff = BACK_OFF_MIN;
        try {
            while (closing.getCount() > 0) {
                CompletableFuture<String> over = new CompletableFuture<>();
                lost = over;
                Ears ears = new Ears(over);
                Session session = new Session(ears);
                try {
                    connect(session);
                    ears.connected.complete(null);
                    boolean isFirst = !triedOnce.isDone();
                    triedOnce.complete(null);
                    if (!isFirst) {
                        announce();
                    }
                    backOff = BACK_OFF_MIN;
                    String why = await(over);
                    state.set(new State.Down(why));
                    if (closing.getCount() == 0) {
                        // Replaced or shut down on purpose: nobody need look into it, and its lists are not ours.
                        log.note("server.disconnected", "server", definition.name());
                        return;
                    }
                    log.warn("server.lost", "server", definition.name(), "reason", why);
                    announce();
                } catch (UpstreamException e) {
                    state.set(new State.Down(e.reason()));
                    log.warn("server.connect.failed", "server", definition.name(), "reason", e.reason());
                    backOff = e.kind() == UpstreamException.Kind.UNAUTHORIZED ? BACK_OFF_MAX : backOff;
                } finally {
                    session.close();
                    ears.connected.complete(null);
                    triedOnce.complete(null);
                }
                if (closing.await(backOff.toMillis(), TimeUnit.MILLISECONDS)) {
                    return;
                }
                backOff = backOff.multipliedBy(2).compareTo(BACK_OFF_MAX) > 0 ? BACK_OFF_MAX : backOff.multipliedBy(2);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            triedOnce.complete(null);
            ended.countDown();
        }
    }

    private String await(CompletableFuture<String> over) throws InterruptedException {
        if (closing.getCount() == 0) {
            over.complete(DISCONNECTED);
        }
        try {
            return over.get();
        } catch (ExecutionException e) {
            throw new IllegalStateException("a connection ends with a reason", e);
        }
    }

    private void connect(Session session) throws UpstreamException, InterruptedException {
        broken.set(0);
        if (definition.socket().isPresent()) {
            connectProgram(Path.of(definition.socket().get()), session);
        } else {
            Endpoint endpoint = Endpoint.of(definition);
            try {
                session.open(new StreamableTransport(http, endpoint, session), handshake.request());
            } catch (UpstreamException e) {
                if (!isOlder(e)) {
                    throw e;
                }
                session.open(LegacySseTransport.open(http, endpoint, session), handshake.request());
            }
        }
        Catalog catalog = Catalog.fetch(definition, session, handshake.request());
        unlisted = Optional.empty();
        state.set(new State.Up(session, catalog));
        log.note("server.connected", "server", definition.name());
    }

    private void connectProgram(Path socket, Session session) throws UpstreamException, InterruptedException {
        try {
            session.open(LineTransport.start(Connector.unix(socket), session), handshake.program());
        } catch (IOException e) {
            throw UpstreamException.broken("its program is not running");
        } catch (UpstreamException e) {
            throw e.kind() == UpstreamException.Kind.LATE
                    ? UpstreamException.broken("its program did not answer within "
                            + handshake.program().toSeconds()
                            + " s: if it downloads itself at each start, install it once and name the file"
                            + " (docs/reference/mcp.md); see what it was refused: capsem mcp test "
                            + definition.name() + " --learn")
                    : e;
        }
    }

    /// A server that does not take a POST where its events are is asked in the older way.
    private static boolean isOlder(UpstreamException e) {
        return e.reason().matches("the server answered HTTP (400|404|405)");
    }

    // --- what the server says -----------------------------------------------------------------------------------

    private final class Ears implements Session.Listener {
        private final CompletableFuture<String> lost;
        /// What changes while the first lists are being fetched may be missing in them: it is listed right after.
        private final CompletableFuture<Void> connected = new CompletableFuture<>();
        /// Announcements of each kind that were not looked into yet.
        private final Map<String, AtomicInteger> announced = new ConcurrentHashMap<>();

        Ears(CompletableFuture<String> lost) {
            this.lost = lost;
        }

        @Override
        public void notified(String method, Optional<ObjectNode> params, OptionalLong call) {
            switch (method) {
                case "notifications/tools/list_changed" -> relist(method, Kind.TOOLS);
                case "notifications/prompts/list_changed" -> relist(method, Kind.PROMPTS);
                case "notifications/resources/list_changed" -> relist(method, Kind.RESOURCES, Kind.TEMPLATES);
                default -> listener.notified(definition.name(), call, method, params);
            }
        }

        @Override
        public void asked(JsonRpcId id, String method, Optional<ObjectNode> params, OptionalLong call) {
            listener.asked(McpUpstream.this, id, call, method, params);
        }

        @Override
        public void lost(String reason) {
            lost.complete(reason);
        }

        /// The announcement goes on once the new list is here: whoever then asks gets it. A server that announces
        /// faster than it lists is asked once for all that came meanwhile.
        private void relist(String method, Kind... kinds) {
            AtomicInteger open = announced.computeIfAbsent(method, _ -> new AtomicInteger());
            if (open.getAndIncrement() > 0) {
                return;
            }
            Thread.ofVirtual().name("mcp-relist").start(() -> {
                connected.join();
                int seen;
                boolean isListed;
                do {
                    seen = open.get();
                    isListed = listAnew(method, kinds) || !mayTryAgain();
                } while (!isListed || !open.compareAndSet(seen, 0));
            });
        }

        /// Waits a little; false if there is nobody left to ask.
        private boolean mayTryAgain() {
            try {
                lost.get(LIST_AGAIN.toMillis(), TimeUnit.MILLISECONDS);
                return false;
            } catch (TimeoutException e) {
                return true;
            } catch (ExecutionException e) {
                throw new IllegalStateException("a connection ends with a reason", e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return false;
            }
        }

        /// Whether the lists are the server's newest. Until they are, whoever asks is told that its tools are
        /// unknown: it said that they changed, and does not say how.
        private boolean listAnew(String method, Kind... kinds) {
            boolean isAboutTools = List.of(kinds).contains(Kind.TOOLS);
            try {
                for (Kind kind : kinds) {
                    if (state.get() instanceof State.Up up) {
                        List<CatalogEntry> fresh = Catalog.list(kind, definition, up.session(), handshake.request());
                        state.updateAndGet(current -> current instanceof State.Up now
                                ? new State.Up(now.session(), now.catalog().with(kind, fresh))
                                : current);
                    }
                }
                if (isAboutTools) {
                    unlisted = Optional.empty();
                }
            } catch (UpstreamException e) {
                log.warn("server.list.failed", "server", definition.name(), "reason", e.reason());
                if (isAboutTools) {
                    unlisted = Optional.of("it does not list its tools: " + e.reason());
                }
                listener.notified(definition.name(), OptionalLong.empty(), method, Optional.empty());
                return false;
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return true;
            }
            listener.notified(definition.name(), OptionalLong.empty(), method, Optional.empty());
            return true;
        }
    }

    /// Says that there is something to list, if there is.
    public void announceIfConnected() {
        if (state.get() instanceof State.Up) {
            announce();
        }
    }

    private void announce() {
        for (String kind : List.of("tools", "resources", "prompts")) {
            listener.notified(
                    definition.name(),
                    OptionalLong.empty(),
                    "notifications/" + kind + "/list_changed",
                    Optional.empty());
        }
    }

    // --- what we ask --------------------------------------------------------------------------------------------

    /// @param call the operation that it belongs to
    public ObjectNode request(String method, ObjectNode params, long call)
            throws UpstreamException, InterruptedException {
        if (!(state.get() instanceof State.Up(Session session, Catalog _))) {
            throw UpstreamException.broken("MCP server not running: " + definition.name());
        }
        calls.incrementAndGet();
        try {
            ObjectNode result = session.request(method, Optional.of(params), OptionalLong.of(call), CALL_TIMEOUT);
            broken.set(0);
            return result;
        } catch (UpstreamException e) {
            noticed(e, session);
            throw e;
        } finally {
            calls.decrementAndGet();
        }
    }

    private void noticed(UpstreamException e, Session session) {
        switch (e.kind()) {
            case REFUSED -> broken.set(0);
            case SESSION_EXPIRED -> session.lost(e.reason());
            case BROKEN, LATE -> {
                if (broken.incrementAndGet() >= BROKEN_MAX) {
                    session.lost("too many calls failed in a row: " + e.reason());
                }
            }
            case UNAUTHORIZED -> session.lost(e.reason());
        }
    }

    public void answer(JsonRpcMessage answer) {
        if (state.get() instanceof State.Up(Session session, Catalog _)) {
            try {
                session.answer(answer);
            } catch (UpstreamException e) {
                log.warn("server.answer.failed", "server", definition.name(), "reason", e.reason());
            }
        }
    }

    public void notify(String method) {
        if (state.get() instanceof State.Up(Session session, Catalog _)) {
            try {
                session.notify(method, Optional.empty());
            } catch (UpstreamException e) {
                log.warn("server.notify.failed", "server", definition.name(), "reason", e.reason());
            }
        }
    }

    public boolean offers(String capability) {
        return state.get() instanceof State.Up(Session session, Catalog _) && session.offers(capability);
    }

    public List<CatalogEntry> catalog(Kind kind) {
        return state.get() instanceof State.Up(Session _, Catalog catalog) ? catalog.of(kind) : List.of();
    }

    public ServerDefinition definition() {
        return definition;
    }

    public ServerStatus status() {
        State now = state.get();
        Catalog catalog = now instanceof State.Up up ? up.catalog() : Catalog.EMPTY;
        return new ServerStatus(
                definition.name(),
                definition.url(),
                definition.isEnabled(),
                definition.source(),
                definition.socket().isPresent() || definition.isUnsupportedStdio(),
                now instanceof State.Up,
                catalog.of(Kind.TOOLS).size(),
                catalog.of(Kind.RESOURCES).size(),
                catalog.of(Kind.PROMPTS).size(),
                now instanceof State.Down(String why) ? Optional.of(why) : unlisted);
    }

    /// Calls that wait for an answer.
    public int inFlight() {
        return calls.get();
    }

    /// Begins to disconnect; [#run] ends soon after.
    public void close() {
        closing.countDown();
        lost.complete(DISCONNECTED);
    }

    /// Whether [#run] ended in time.
    public boolean awaitEnd(Duration timeout) throws InterruptedException {
        return ended.await(timeout.toMillis(), TimeUnit.MILLISECONDS);
    }
}
