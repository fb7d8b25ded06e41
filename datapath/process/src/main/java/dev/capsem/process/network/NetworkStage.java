package dev.capsem.process.network;

import dev.capsem.events.EventSink;
import dev.capsem.events.budget.SpendingDesk;
import dev.capsem.events.security.ApprovalDesk;
import dev.capsem.events.security.EnvelopeSource;
import dev.capsem.events.security.SecurityGate;
import dev.capsem.events.traffic.ConnectionHandoff;
import dev.capsem.events.vocabulary.IdSource;
import dev.capsem.llm.trace.TraceState;
import dev.capsem.network.NetworkEngine;
import dev.capsem.network.Ports;
import dev.capsem.network.address.AddressLedger;
import dev.capsem.network.dns.DnsEngine;
import dev.capsem.network.dns.HostLookup;
import dev.capsem.network.dns.io.ResolverFiles;
import dev.capsem.network.dns.io.SocketDnsTransport;
import dev.capsem.network.io.GuestConnection;
import dev.capsem.process.configuration.ConfigurationInForce;
import dev.capsem.process.configuration.SessionNetwork;
import dev.capsem.process.door.Door;
import dev.capsem.process.record.Recorder;
import dev.capsem.wire.io.Deadline;
import dev.capsem.wire.io.TaskScope;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.ByteChannel;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The engines behind the doors of one sandbox. Safe for many threads.
public final class NetworkStage implements AutoCloseable {
    /// Refusing takes microseconds; a guest that dawdles does not get more.
    private static final Duration REFUSAL_TIME_MAX = Duration.ofSeconds(10);
    /// How long a sandbox lives before its engines are set up, if no traffic comes first: a burst of new sandboxes
    /// should have the processor for their first commands.
    private static final Duration START_AFTER = Duration.ofSeconds(10);

    private final Neighbours neighbours;
    private final Path home;
    private final ConfigurationInForce configuration;
    private final CountDownLatch wanted = new CountDownLatch(1);
    /// Ready before the network engine, whose classes take seconds on a busy machine: a resolver inside gives a name up
    /// after a while, a connection waits.
    private final CompletableFuture<DnsEngine> firstDns = new CompletableFuture<>();

    private final CompletableFuture<Engines> engines = new CompletableFuture<>();

    /// @param network none when it could not be set up; then `dns` refuses every question
    private record Engines(Optional<NetworkEngine> network, DnsEngine dns) {}

    /// Whom the engines ask and tell, and who stands in for the network engine.
    ///
    /// @param traces of conversations with models
    /// @param names where they lead
    /// @param mcp who serves framed MCP, once there is somebody
    /// @param refusing serves port 5002 when there is no network engine
    public record Neighbours(
            SecurityGate gate,
            ApprovalDesk desk,
            SpendingDesk spending,
            EnvelopeSource envelopes,
            EventSink sink,
            IdSource ids,
            TraceState traces,
            SessionResolver names,
            Optional<ConnectionHandoff> mcp,
            Door refusing) {}

    /// @param home holds a private certificate authority if its owner made one
    public NetworkStage(Neighbours neighbours, ConfigurationInForce configuration, Path home) {
        this.neighbours = neighbours;
        this.configuration = configuration;
        this.home = home;
    }

    /// Sets the engines up when the first traffic waits for them, or after a while. Blocks until then.
    public void run() {
        try {
            boolean _ = wanted.await(START_AFTER.toMillis(), TimeUnit.MILLISECONDS);
            if (!engines.isDone()) {
                start();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /// Sets the engines up. Slow the first time in a process: their classes and the TLS library come with it. What
    /// cannot be set up is logged, and everything is refused.
    ///
    /// Trust anchors and client certificates stay as they are then; all else follows the configuration in force.
    public void start() {
        configuration.loaded().join();
        AddressLedger ledger = new AddressLedger();
        HostLookup lookup = neighbours.names().lookup();
        DnsEngine dns = dns(neighbours.gate(), ledger, lookup);
        firstDns.complete(dns);
        Engines made;
        try {
            made = new Engines(Optional.of(network(ledger, lookup)), dns);
        } catch (IOException | RuntimeException e) {
            logger().atError().setCause(e).log("network.failed");
            made = new Engines(Optional.empty(), dns(new ShutGate(Recorder.NO_NETWORK_ENGINE), ledger, lookup));
        }
        if (!engines.complete(made)) {
            made.network().ifPresent(NetworkEngine::close);
        }
    }

    private SessionNetwork settings() {
        return configuration.now().network();
    }

    /// Port 5002. The connection is the engine's from here on.
    public void connected(GuestConnection connection) {
        wanted.countDown();
        Optional<NetworkEngine> network = engines().flatMap(Engines::network);
        if (network.isPresent()) {
            network.get().serve(connection);
            return;
        }
        try (connection;
                Deadline _ = Deadline.of(connection.channel(), REFUSAL_TIME_MAX)) {
            neighbours.refusing().serve(connection.channel());
        } catch (IOException e) {
            // The guest's connection ended early: its own business.
        }
    }

    /// Port 5007. A question that comes after the end is not answered.
    public void asked(ByteChannel connection) throws IOException {
        wanted.countDown();
        Optional<DnsEngine> there = result(firstDns);
        // Once it is known how the network engine came out, its own: without one, every question is refused.
        Optional<DnsEngine> latest = engines.isDone() ? engines().map(Engines::dns) : there;
        if (latest.isPresent()) {
            latest.get().serve(connection);
        }
    }

    /// Names and values for `/metrics`; empty as long as there is no network engine.
    public Optional<NetworkCounts> counts() {
        return engines.isDone()
                ? engines()
                        .flatMap(made -> made.network()
                                .map(network -> new NetworkCounts(
                                        network.metrics().snapshot(), made.dns().counts())))
                : Optional.empty();
    }

    @Override
    public void close() {
        var over = new IllegalStateException("the sandbox is over");
        firstDns.completeExceptionally(over);
        engines.completeExceptionally(over);
        wanted.countDown();
        engines().flatMap(Engines::network).ifPresent(NetworkEngine::close);
    }

    private Optional<Engines> engines() {
        return result(engines);
    }

    private static <T> Optional<T> result(CompletableFuture<T> future) {
        try {
            return Optional.of(future.join());
        } catch (CompletionException e) {
            return Optional.empty();
        }
    }

    /// Names as the profile now in force wants them resolved: by its resolvers, or else by the host's.
    ///
    /// @param resolvers of the profile
    public static HostLookup lookup(Supplier<List<InetSocketAddress>> resolvers, TaskScope scope) {
        Supplier<List<InetSocketAddress>> ofHost = ResolverFiles.resolvers();
        return new HostLookup(
                new SocketDnsTransport(),
                () -> {
                    List<InetSocketAddress> ofProfile = resolvers.get();
                    return ofProfile.isEmpty() ? ofHost.get() : ofProfile;
                },
                ResolverFiles.hosts(),
                scope::start,
                new SecureRandom(),
                System::nanoTime);
    }

    private NetworkEngine network(AddressLedger ledger, HostLookup lookup) throws IOException {
        ProfiledObserver models =
                new ProfiledObserver(() -> settings().endpoints(), neighbours.ids(), neighbours.traces());
        Ports ports = new Ports(
                neighbours.gate(),
                neighbours.desk(),
                neighbours.envelopes(),
                neighbours.sink(),
                models,
                neighbours.mcp(),
                ledger,
                lookup,
                () -> settings().upstreamProxy(),
                () -> configuration.now().grants().grants(),
                neighbours.spending());
        return new NetworkEngine(ports, settings().engineSettings(home.resolve("ca")));
    }

    private DnsEngine dns(SecurityGate gate, AddressLedger ledger, HostLookup lookup) {
        return new DnsEngine(
                gate,
                neighbours.envelopes(),
                neighbours.sink(),
                lookup,
                ledger,
                () -> settings().upstreamProxy().isPresent());
    }

    private static Logger logger() {
        return LoggerFactory.getLogger(NetworkStage.class);
    }
}
