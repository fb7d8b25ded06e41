package dev.capsem.network.dns;

import dev.capsem.events.Admission;
import dev.capsem.events.EventSink;
import dev.capsem.events.RecordedExchange;
import dev.capsem.events.row.Attribution;
import dev.capsem.events.row.DnsRow;
import dev.capsem.events.security.BlockCause;
import dev.capsem.events.security.Envelope;
import dev.capsem.events.security.EnvelopeSource;
import dev.capsem.events.security.Evaluation;
import dev.capsem.events.security.RuleId;
import dev.capsem.events.security.SecurityEvent;
import dev.capsem.events.security.SecurityGate;
import dev.capsem.events.vocabulary.Correlation;
import dev.capsem.events.vocabulary.EventType;
import dev.capsem.events.vocabulary.IdSource;
import dev.capsem.network.address.AddressLedger;
import dev.capsem.network.dns.io.SocketDnsTransport;
import java.io.IOException;
import java.net.InetAddress;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;

/// A DNS engine between a guest, a resolver on the loopback, rules in the form of a function, and a record that
/// keeps everything.
final class Harness implements AutoCloseable, SecurityGate, EventSink, EnvelopeSource {
    static final Instant AT = Instant.parse("2026-11-15T12:00:00Z");
    static final RuleId RULE = RuleId.of("dns", "tested");

    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final IdSource ids = new IdSource(() -> AT, new Random(1));
    private final Function<SecurityEvent.DnsRequest, Evaluation> rules;
    final List<RecordedExchange> admitted = new CopyOnWriteArrayList<>();
    final List<RecordedExchange> noted = new CopyOnWriteArrayList<>();

    /// Places that were given and not given back.
    final AtomicInteger places = new AtomicInteger();

    final LoopbackDns resolver;
    final AddressLedger ledger = new AddressLedger();
    final DnsEngine engine;
    boolean isProxied;
    volatile boolean isFull;

    Harness(Function<SecurityEvent.DnsRequest, Evaluation> rules, Function<byte[], byte[]> resolver)
            throws IOException {
        this.rules = rules;
        this.resolver = LoopbackDns.answering(resolver);
        HostLookup lookup = new HostLookup(
                new SocketDnsTransport(),
                () -> List.of(this.resolver.address()),
                () -> HostNamesFile.EMPTY,
                threads,
                RandomGenerator.getDefault(),
                System::nanoTime,
                LoopbackDns.PATIENCE,
                LoopbackDns.PATIENCE);
        this.engine = new DnsEngine(this, this, this, lookup, ledger, () -> isProxied);
    }

    /// A resolver that knows `address` for every name.
    static Function<byte[], byte[]> knowing(String address) {
        int type = InetAddress.ofLiteral(address).getAddress().length == 4 ? Messages.A : Messages.AAAA;
        return query -> Messages.typeOf(query) == type
                ? Messages.response(
                        query,
                        Messages.record(
                                Messages.nameOf(query),
                                type,
                                100,
                                InetAddress.ofLiteral(address).getAddress()))
                : Messages.response(query);
    }

    static Evaluation allow() {
        return evaluation(new Evaluation.Allowed());
    }

    static Evaluation ask() {
        return evaluation(new Evaluation.Asked());
    }

    static Evaluation block() {
        return evaluation(new Evaluation.Blocked(BlockCause.RULE));
    }

    private static Evaluation evaluation(Evaluation.Outcome outcome) {
        return new Evaluation(outcome, Optional.of(RULE), Optional.of("as tested"), List.of(), List.of());
    }

    byte[] ask(String name, int type) {
        return engine.answer(Messages.query(77, name, type), new QueryOrigin(Optional.of("curl"), QueryOrigin.UDP))
                .orElseThrow();
    }

    List<RecordedExchange> recorded() {
        return Stream.concat(admitted.stream(), noted.stream()).toList();
    }

    List<DnsRow> rows() {
        return recorded().stream()
                .flatMap(exchange -> exchange.rows().stream())
                .map(DnsRow.class::cast)
                .toList();
    }

    DnsRow row() {
        List<DnsRow> rows = rows();
        if (rows.size() != 1) {
            throw new AssertionError("one row expected: " + rows);
        }
        return rows.getFirst();
    }

    @Override
    public Evaluation evaluate(SecurityEvent event) {
        return rules.apply((SecurityEvent.DnsRequest) event);
    }

    @Override
    public boolean needsBody(SecurityEvent event) {
        return false;
    }

    @Override
    public CompletableFuture<Admission> admit(EventType kind) {
        return CompletableFuture.completedFuture(admitNow(kind));
    }

    @Override
    public Admission admitNow(EventType kind) {
        if (isFull) {
            return new Admission.Refused("the disk is full", "free some space");
        }
        places.incrementAndGet();
        return new Admission.Admitted(places::decrementAndGet);
    }

    @Override
    public Receipt record(RecordedExchange exchange, Admission.Place place) {
        admitted.add(exchange);
        return Receipt.ACCEPTED;
    }

    @Override
    public Receipt note(RecordedExchange exchange) {
        noted.add(exchange);
        return Receipt.ACCEPTED;
    }

    @Override
    public Receipt offer(RecordedExchange exchange) {
        throw new IllegalArgumentException("no question is a mere observation");
    }

    @Override
    public Receipt recordOrWait(RecordedExchange exchange) {
        throw new IllegalArgumentException("no question waits for its record");
    }

    @Override
    public Envelope inline(Correlation correlation) {
        return Envelope.inline(ids.nextEventId(), AT, Attribution.UNKNOWN, correlation);
    }

    @Override
    public void close() throws IOException {
        resolver.close();
        threads.shutdownNow();
        threads.close();
    }
}
