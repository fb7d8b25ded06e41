package dev.capsem.process.network;

import dev.capsem.events.EventSink;
import dev.capsem.events.security.ApprovalDesk;
import dev.capsem.events.security.EnvelopeSource;
import dev.capsem.events.security.SecurityGate;
import dev.capsem.events.traffic.ConnectionHandoff;
import dev.capsem.events.vocabulary.IdSource;
import dev.capsem.network.NetworkEngine;
import dev.capsem.network.Ports;
import dev.capsem.network.address.AddressLedger;
import dev.capsem.network.dns.DnsEngine;
import dev.capsem.network.dns.HostLookup;
import dev.capsem.network.dns.io.HostFiles;
import dev.capsem.network.dns.io.SocketDnsTransport;
import dev.capsem.network.io.GuestConnection;
import dev.capsem.process.door.Door;
import dev.capsem.wire.io.TaskScope;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.ByteChannel;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The engines behind the doors of one sandbox. Safe for many threads.
public final class NetworkStage implements AutoCloseable {
    private final Neighbours neighbours;
    private final Path authorityDir;
    private final TaskScope scope;
    private final CompletableFuture<Engines> engines = new CompletableFuture<>();
    private volatile SessionNetwork settings = SessionNetwork.NONE;

    private record Engines(NetworkEngine network, DnsEngine dns) {}

    /// Whom the engines ask and tell, and who stands in for them.
    ///
    /// @param mcp who serves framed MCP, once there is somebody
    /// @param refusingNetwork, refusingDns serve when there are no engines
    public record Neighbours(
            SecurityGate gate,
            ApprovalDesk desk,
            EnvelopeSource envelopes,
            EventSink sink,
            IdSource ids,
            Optional<ConnectionHandoff> mcp,
            Door refusingNetwork,
            Door refusingDns) {}

    /// @param authorityDir holds a private certificate authority, if its owner made one
    /// @param scope runs what waits
    public NetworkStage(Neighbours neighbours, Path authorityDir, TaskScope scope) {
        this.neighbours = neighbours;
        this.authorityDir = authorityDir;
        this.scope = scope;
    }

    /// Sets the engines up. Slow the first time in a process: their classes and the TLS library come with it.
    public void start(Path sessionDir) {
        try {
            settings = SessionNetwork.of(sessionDir);
            Engines made = assemble();
            if (!engines.complete(made)) {
                made.network().close();
            }
        } catch (IOException | RuntimeException e) {
            logger().atError().setCause(e).log("network.failed");
            engines.completeExceptionally(e);
        }
    }

    /// Resolvers and model endpoints of the profile now in force. Trust anchors stay as they were at the start.
    public void reload(Path sessionDir) {
        settings = SessionNetwork.of(sessionDir);
    }

    /// Port 5002. The connection is the engine's from here on.
    public void connected(GuestConnection connection) {
        Optional<Engines> there = engines();
        if (there.isPresent()) {
            there.get().network().serve(connection);
            return;
        }
        try (connection) {
            neighbours.refusingNetwork().serve(connection.channel());
        } catch (IOException e) {
            // The guest's connection ended early: its own business.
        }
    }

    /// Port 5007.
    public void asked(ByteChannel connection) throws IOException {
        Optional<Engines> there = engines();
        if (there.isPresent()) {
            there.get().dns().serve(connection);
        } else {
            neighbours.refusingDns().serve(connection);
        }
    }

    /// Names and values for `/metrics`; empty until the engines are there.
    public Optional<NetworkCounts> counts() {
        return engines.isDone() && !engines.isCompletedExceptionally()
                ? Optional.of(new NetworkCounts(
                        engines.join().network().metrics().snapshot(),
                        engines.join().dns().counts()))
                : Optional.empty();
    }

    @Override
    public void close() {
        engines.completeExceptionally(new IllegalStateException("the sandbox is over"));
        engines().ifPresent(made -> made.network().close());
    }

    private Optional<Engines> engines() {
        try {
            return Optional.of(engines.join());
        } catch (CompletionException e) {
            return Optional.empty();
        }
    }

    private Engines assemble() throws IOException {
        AddressLedger ledger = new AddressLedger();
        Supplier<List<InetSocketAddress>> ofHost = HostFiles.resolvers();
        HostLookup lookup = new HostLookup(
                new SocketDnsTransport(),
                () -> settings.resolvers().isEmpty() ? ofHost.get() : settings.resolvers(),
                HostFiles.hosts(),
                scope::start,
                new SecureRandom(),
                System::nanoTime);
        Ports ports = new Ports(
                neighbours.gate(),
                neighbours.desk(),
                neighbours.envelopes(),
                neighbours.sink(),
                new ProfiledObserver(() -> settings.endpoints(), neighbours.ids()),
                neighbours.mcp(),
                ledger,
                lookup);
        NetworkEngine network = new NetworkEngine(ports, settings.engineSettings(authorityDir));
        DnsEngine dns = new DnsEngine(neighbours.gate(), neighbours.envelopes(), neighbours.sink(), lookup, ledger);
        return new Engines(network, dns);
    }

    private static Logger logger() {
        return LoggerFactory.getLogger(NetworkStage.class);
    }
}
