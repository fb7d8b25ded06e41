package dev.capsem.network;

import dev.capsem.broker.Grants;
import dev.capsem.events.Admission;
import dev.capsem.events.EventSink;
import dev.capsem.events.RecordedExchange;
import dev.capsem.events.budget.SpendingDesk;
import dev.capsem.events.row.Attribution;
import dev.capsem.events.row.NetRow;
import dev.capsem.events.security.ApprovalDesk;
import dev.capsem.events.security.Envelope;
import dev.capsem.events.security.EnvelopeSource;
import dev.capsem.events.security.Evaluation;
import dev.capsem.events.security.RuleId;
import dev.capsem.events.security.SecurityEvent;
import dev.capsem.events.security.SecurityGate;
import dev.capsem.events.traffic.ConnectionHandoff;
import dev.capsem.events.traffic.ExchangeObserver;
import dev.capsem.events.vocabulary.Correlation;
import dev.capsem.events.vocabulary.EventType;
import dev.capsem.events.vocabulary.FinalAction;
import dev.capsem.events.vocabulary.IdSource;
import dev.capsem.network.address.HostResolver;
import dev.capsem.network.address.NameLedger;
import dev.capsem.network.address.Resolution;
import dev.capsem.network.http.limit.Timeouts;
import dev.capsem.network.http.upstream.UpstreamProxy;
import dev.capsem.network.io.GuestConnection;
import dev.capsem.network.tls.AuthorityKeys;
import dev.capsem.network.tls.CertificateAuthority;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.security.KeyStore;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;

/// A network engine behind a loopback port, with everything around it written down: what a test changes, it says.
@SuppressWarnings("FutureReturnValueIgnored")
final class Door implements AutoCloseable {
    static final String HOST = "api.example.test";

    /// A busy machine takes its time; only a test that fails waits so long.
    static final int PATIENCE_MILLIS = 30_000;

    /// As usual, but for what a JVM that just started, on such a machine, needs to speak TLS.
    static final Timeouts PATIENT = new Timeouts(
            Duration.ofSeconds(60),
            Duration.ofSeconds(60),
            Duration.ofSeconds(60),
            Duration.ofSeconds(60),
            Timeouts.USUAL.guestIdle(),
            Timeouts.USUAL.responseHead(),
            Timeouts.USUAL.bodyIdle(),
            Timeouts.USUAL.heldStream(),
            Timeouts.USUAL.upstreamIdle());

    private static final AuthorityKeys ORIGIN_KEYS = AuthorityKeys.generate(
            Instant.parse("2020-01-01T00:00:00Z"), Instant.parse("2120-01-01T00:00:00Z"), new SecureRandom());

    /// Signs for origins; the engine trusts it.
    static final CertificateAuthority ORIGINS =
            new CertificateAuthority(ORIGIN_KEYS, InstantSource.system(), new SecureRandom());

    /// The same authority at another time.
    static CertificateAuthority originsAt(Instant time) {
        return new CertificateAuthority(ORIGIN_KEYS, InstantSource.fixed(time), new SecureRandom());
    }

    final List<RecordedExchange> recorded = new CopyOnWriteArrayList<>();
    final List<SecurityEvent> asked = new CopyOnWriteArrayList<>();
    /// Places that were given and not given back.
    static final AtomicInteger PLACES = new AtomicInteger();

    private final ServerSocketChannel listener;
    private final NetworkEngine engine;

    static final class Setup {
        Function<SecurityEvent, Evaluation> rules = _ -> allow();
        Predicate<SecurityEvent> needsBody = _ -> false;
        ApprovalDesk desk = ApprovalDesk.NOBODY;
        ExchangeObserver observer = ExchangeObserver.NONE;
        Optional<ConnectionHandoff> mcp = Optional.empty();
        Optional<UpstreamProxy> proxy = Optional.empty();
        Grants grants = Grants.NONE;
        boolean ledgerAgrees = true;
        /// Whether a rule could decide by a public address.
        boolean readsAddresses = true;
        /// Asked for each exchange that wants to begin; by default all may.
        Optional<Supplier<CompletableFuture<Admission>>> admission = Optional.empty();
        /// Done before anything that must be kept is stored.
        Runnable beforeKeeping = () -> {};
        Function<String, Resolution> resolver =
                _ -> new Resolution.Addresses(List.of(InetAddress.getLoopbackAddress()));
        /// What the host knows of a name without asking anybody.
        Function<String, Optional<InetAddress>> known = _ -> Optional.empty();
        NetworkSettings settings = NetworkSettings.usual()
                .withExtraAuthorities(List.of(ORIGINS.certificate()))
                .withTimeouts(PATIENT);

        Door open() throws IOException {
            return new Door(this);
        }
    }

    private Door(Setup setup) throws IOException {
        IdSource ids = new IdSource(InstantSource.system(), new SecureRandom());
        EnvelopeSource envelopes = (Correlation correlation) ->
                Envelope.inline(ids.nextEventId(), Instant.now(), Attribution.UNKNOWN, correlation);
        this.engine = new NetworkEngine(
                new Ports(
                        new Gate(setup),
                        setup.desk,
                        envelopes,
                        new Sink(setup),
                        setup.observer,
                        setup.mcp,
                        new Ledger(setup.ledgerAgrees),
                        new Names(setup),
                        () -> setup.proxy,
                        () -> setup.grants,
                        SpendingDesk.NONE),
                setup.settings);
        this.listener = ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        Thread.ofVirtual().start(this::acceptAll);
    }

    private void acceptAll() {
        while (listener.isOpen()) {
            try {
                SocketChannel accepted = listener.accept();
                Thread.ofVirtual().start(() -> engine.serve(new GuestConnection(accepted)));
            } catch (IOException closed) {
                return;
            }
        }
    }

    static Evaluation allow() {
        return new Evaluation(
                new Evaluation.Allowed(),
                Optional.of(RuleId.of("http", "allow_all")),
                Optional.empty(),
                List.of(),
                List.of());
    }

    NetworkEngine engine() {
        return engine;
    }

    InetSocketAddress address() throws IOException {
        return (InetSocketAddress) listener.getLocalAddress();
    }

    /// A connection with its metadata, as the sandbox's agent makes it.
    Socket connect(int destinationPort) throws IOException {
        Socket socket = bare();
        socket.getOutputStream()
                .write(("\0CAPSEM_META:curl\n\0CAPSEM_DST:127.0.0.1:" + destinationPort + "\n")
                        .getBytes(StandardCharsets.US_ASCII));
        return socket;
    }

    Socket bare() throws IOException {
        Socket socket = new Socket(address().getAddress(), address().getPort());
        socket.setSoTimeout(PATIENCE_MILLIS);
        socket.setTcpNoDelay(true);
        return socket;
    }

    /// TLS as a client in the sandbox would start it, trusting our authority and nobody else.
    SSLSocket tls(int destinationPort, String serverName, String... protocols) throws Exception {
        SSLSocket socket = (SSLSocket)
                trust().getSocketFactory().createSocket(connect(destinationPort), serverName, destinationPort, true);
        SSLParameters parameters = socket.getSSLParameters();
        parameters.setServerNames(List.of(new SNIHostName(serverName)));
        parameters.setEndpointIdentificationAlgorithm("HTTPS");
        parameters.setApplicationProtocols(protocols);
        socket.setSSLParameters(parameters);
        socket.startHandshake();
        return socket;
    }

    static SSLContext trust() throws Exception {
        KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
        store.load(null);
        store.setCertificateEntry("ca", AuthorityKeys.builtIn().certificate());
        TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        factory.init(store);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, factory.getTrustManagers(), null);
        return context;
    }

    /// Waits for that many rows of `net_events`.
    List<NetRow> rows(int count) throws InterruptedException {
        await(() -> netRows().size() >= count);
        return netRows();
    }

    /// Gives up quietly: what the test asserts next says what is missing.
    static void await(BooleanSupplier condition) throws InterruptedException {
        Instant limit = Instant.now().plusMillis(PATIENCE_MILLIS);
        while (!condition.getAsBoolean() && Instant.now().isBefore(limit)) {
            Thread.sleep(5);
        }
    }

    /// Those of now.
    List<NetRow> netRows() {
        return recorded.stream()
                .flatMap(exchange -> exchange.rows().stream())
                .filter(NetRow.class::isInstance)
                .map(NetRow.class::cast)
                .toList();
    }

    @Override
    public void close() throws IOException {
        listener.close();
        engine.close();
    }

    /// Room for one exchange, counted until it is given back.
    static Admission place() {
        PLACES.incrementAndGet();
        AtomicBoolean isGivenBack = new AtomicBoolean();
        return new Admission.Admitted(() -> {
            if (isGivenBack.compareAndSet(false, true)) {
                PLACES.decrementAndGet();
            }
        });
    }

    private final class Gate implements SecurityGate {
        private final Setup setup;

        Gate(Setup setup) {
            this.setup = setup;
        }

        @Override
        public Evaluation evaluate(SecurityEvent event) {
            asked.add(event);
            return setup.rules.apply(event);
        }

        @Override
        public boolean needsBody(SecurityEvent event) {
            return setup.needsBody.test(event);
        }

        @Override
        public boolean needsAddress() {
            return setup.readsAddresses;
        }
    }

    private final class Sink implements EventSink {
        private final Runnable beforeKeeping;
        private final Optional<Supplier<CompletableFuture<Admission>>> admission;

        Sink(Setup setup) {
            this.beforeKeeping = setup.beforeKeeping;
            this.admission = setup.admission;
        }

        @Override
        public CompletableFuture<Admission> admit(EventType kind) {
            return admission.map(Supplier::get).orElseGet(() -> CompletableFuture.completedFuture(admitNow(kind)));
        }

        @Override
        public Admission admitNow(EventType kind) {
            return place();
        }

        @Override
        public Receipt record(RecordedExchange exchange, Admission.Place place) {
            boolean isPlain = exchange.event().judgement().finalAction() == FinalAction.CONTINUE
                    && exchange.event().findings().isEmpty();
            if (!isPlain) {
                beforeKeeping.run();
            }
            recorded.add(exchange);
            return Receipt.ACCEPTED;
        }

        @Override
        public Receipt note(RecordedExchange exchange) {
            beforeKeeping.run();
            recorded.add(exchange);
            return Receipt.ACCEPTED;
        }

        @Override
        public Receipt offer(RecordedExchange exchange) {
            throw new IllegalArgumentException("no traffic is a mere observation");
        }

        @Override
        public Receipt recordOrWait(RecordedExchange exchange) {
            throw new IllegalArgumentException("no traffic waits for its record");
        }
    }

    private record Names(Setup setup) implements HostResolver {
        @Override
        public CompletableFuture<Resolution> resolve(String host) {
            return CompletableFuture.completedFuture(setup.resolver.apply(host));
        }

        @Override
        public Optional<InetAddress> known(String host) {
            return setup.known.apply(host);
        }
    }

    private record Ledger(boolean agrees) implements NameLedger {
        @Override
        public boolean gave(String host, InetAddress destination) {
            return agrees;
        }

        @Override
        public Optional<String> nameOf(InetAddress synthetic) {
            return Optional.empty();
        }
    }
}
