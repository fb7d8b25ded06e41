package dev.capsem.process.mcp;

import dev.capsem.events.EventSink;
import dev.capsem.events.security.ApprovalDesk;
import dev.capsem.events.security.SecurityGate;
import dev.capsem.events.traffic.ConnectionHandoff;
import dev.capsem.events.vocabulary.IdSource;
import dev.capsem.mcp.McpEndpoint;
import dev.capsem.mcp.backend.AggregatorPipes;
import dev.capsem.mcp.backend.CleanBackend;
import dev.capsem.mcp.backend.SupervisedBackend;
import dev.capsem.mcp.backend.ToolBackend;
import dev.capsem.mcp.connection.EndpointDependencies;
import dev.capsem.mcp.connection.McpLimits;
import dev.capsem.mcp.connection.SharedInterests;
import dev.capsem.mcp.pin.PinnedTools;
import dev.capsem.mcp.pin.ToolPins;
import dev.capsem.mcp.record.CallTraces;
import dev.capsem.mcp.record.McpPorts;
import dev.capsem.mcp.record.ToolTrust;
import dev.capsem.network.address.HostResolver;
import dev.capsem.network.metrics.NetworkMetrics;
import dev.capsem.network.record.Redaction;
import dev.capsem.process.configuration.ConfigurationInForce;
import dev.capsem.process.configuration.SessionDirectory;
import dev.capsem.process.configuration.SessionNetwork;
import dev.capsem.process.mcp.io.EgressProxy;
import dev.capsem.process.mcp.io.ProgramSocket;
import dev.capsem.process.network.NetworkStage;
import dev.capsem.process.record.Recorder;
import dev.capsem.process.record.WatchedSink;
import dev.capsem.profiles.secret.SecretSource;
import dev.capsem.wire.aggregator.AggregatorReply;
import dev.capsem.wire.aggregator.CatalogEntry;
import dev.capsem.wire.aggregator.Operation;
import dev.capsem.wire.aggregator.ServerDefinition;
import dev.capsem.wire.aggregator.ServerStatus;
import dev.capsem.wire.io.TaskScope;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// MCP for one sandbox, from the connection of the guest's relay to the programs that do the work. Safe for
/// many threads.
public final class McpStage implements ConnectionHandoff, AutoCloseable {
    private static final String VERSION = "0.1.0";
    /// Directories of sockets: what the aggregator sees as a whole, and what each program sees one of.
    private static final String SERVERS = "servers";

    private static final String DOORS = "doors";
    private static final String TRUST = "trust";
    private static final String AUTHORITIES = "authorities";
    private static final String PROGRAM_TRUST = "program-trust";
    private static final String BUILTIN = "builtin";
    /// How long a sandbox lives before its aggregator is started, if no client comes first: sandboxes for one command
    /// are over by then, and a burst of new ones does not start three JVMs each.
    private static final Duration START_AFTER = Duration.ofSeconds(10);

    /// A little longer than the aggregator waits for servers that connect; the service waits a little longer than this
    /// for the answer to a reload.
    private static final Duration REFRESH_WAIT = Duration.ofSeconds(20);

    /// Whom the endpoint asks and tells.
    public record Neighbours(
            SecurityGate gate,
            ApprovalDesk desk,
            Recorder recorder,
            EventSink sink,
            IdSource ids,
            CallTraces traces,
            InstantSource clock) {}

    /// The files on the host.
    ///
    /// @param sessionDir may move while the sandbox runs
    /// @param runtimeDir ours alone; short, and stays where it is
    /// @param pins the directory where the pins of this profile's tools are kept
    /// @param authority the certificate, as text, that counts inside the sandbox
    /// @param sandbox the first process of the sandbox
    public record Surroundings(
            SessionDirectory sessionDir,
            Path runtimeDir,
            Path pins,
            SecretSource secrets,
            Supplier<String> authority,
            long sandbox,
            Map<String, String> environment) {}

    private final ConfigurationInForce configuration;
    private final Surroundings around;
    private final ToolPrograms programs;
    private final TaskScope scope;
    private final ProgramTroubles troubles;
    private final HostResolver lookup;
    private final EgressShell egress;
    private final ProgramServers programServers;
    private final SessionServers servers;
    private final SupervisedBackend backend;
    private final PinnedTools tools;
    private final McpCounts counts;
    private final McpEndpoint endpoint;
    private final CountDownLatch wanted = new CountDownLatch(1);
    private final List<AutoCloseable> doors = new ArrayList<>();
    private volatile boolean isOver;

    /// @param scope runs what waits
    public McpStage(
            Neighbours neighbours,
            ConfigurationInForce configuration,
            Surroundings around,
            ToolPrograms programs,
            TaskScope scope) {
        this.configuration = configuration;
        this.around = around;
        this.programs = programs;
        this.scope = scope;
        this.troubles = new ProgramTroubles(around.sessionDir(), Redaction::mask);
        McpPorts ofPrograms = new McpPorts(
                neighbours.gate(), neighbours.desk(), neighbours.recorder(), neighbours.sink(), ToolTrust.ALL);
        this.lookup = NetworkStage.lookup(() -> network().resolvers(), scope);
        this.egress = new EgressShell(ofPrograms, neighbours.recorder(), this::out);
        this.programServers = new ProgramServers(
                directory(SERVERS),
                directory(DOORS),
                directory(PROGRAM_TRUST),
                programs,
                around.secrets(),
                egress,
                to -> network().copyAuthorities(to),
                troubles,
                scope);
        this.servers = new SessionServers(
                configuration,
                around.secrets(),
                directory(SERVERS).resolve(BUILTIN).toString(),
                programServers::socketOf);
        this.backend = new SupervisedBackend(this::launch, servers);
        PinFile pins = new PinFile(around.pins());
        ReviewFindings findings = new ReviewFindings(neighbours.ids());
        this.tools = new PinnedTools(backend, pins.read(), neighbours.clock(), review -> {
            pins.write(review.pins());
            neighbours.recorder().toolsReviewed(findings.of(review));
        });
        this.counts = new McpCounts(this::isServer);
        ToolBackend clean =
                new CleanBackend(backend, text -> configuration.now().clean(text));
        this.endpoint = new McpEndpoint(new EndpointDependencies(
                new McpPorts(
                        neighbours.gate(),
                        neighbours.desk(),
                        neighbours.recorder(),
                        new WatchedSink(neighbours.sink(), counts::count),
                        tools),
                clean,
                neighbours.traces(),
                new SharedInterests(clean),
                McpLimits.from(around.environment()),
                neighbours.clock(),
                neighbours.ids(),
                VERSION,
                Redaction::mask));
    }

    /// Keeps the aggregator running until [#close], from the moment that somebody wants it. Blocks.
    public void run() {
        try {
            boolean _ = wanted.await(START_AFTER.toMillis(), TimeUnit.MILLISECONDS);
            configuration.loaded().join();
            if (!isOver) {
                openDoors();
                backend.run();
            }
        } catch (IOException e) {
            logger().atError().setCause(e).log("mcp.failed");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void serve(ByteChannel channel, ByteBuffer received, Optional<String> processName) throws IOException {
        wanted.countDown();
        endpoint.serve(channel, received, processName);
    }

    /// The configuration changed: the new servers replace the old; calls in progress finish on the old. Waits until the
    /// new ones were tried, so that the next call meets them.
    public void reload() {
        if (isOver) {
            return;
        }
        CompletableFuture<Void> done = backend.refresh().thenAccept(reply -> {
            programServers.keepOnly(configuration.now().servers());
            if (reply instanceof AggregatorReply.Failed failed) {
                logger().atWarn().addKeyValue("reason", failed.error()).log("mcp.refresh.failed");
            }
        });
        done.completeOnTimeout(null, REFRESH_WAIT.toMillis(), TimeUnit.MILLISECONDS)
                .join();
    }

    /// Servers and tools as JSON; waits for servers that are still connecting.
    public String tools() {
        wanted.countDown();
        ToolPins pins = tools.current();
        List<ServerStatus> known = backend.submit(new Operation.ListServers()).join()
                        instanceof AggregatorReply.Servers(List<ServerStatus> list)
                ? list
                : List.of();
        List<CatalogEntry> own = tools.catalog().orElse(List.of()).stream()
                .filter(entry -> entry.server().equals(ServerDefinition.LOCAL))
                .toList();
        return ToolsJson.of(known, own, pins, troubles);
    }

    /// Names and values for `/metrics`.
    public NetworkMetrics.Snapshot counts() {
        return counts.snapshot(endpoint::inFlight, backend::restarts);
    }

    /// A person agrees to these tools as they are now, or to all that wait. Answers which of them are not there, and
    /// then nothing changes.
    public List<String> approve(List<String> names) {
        wanted.countDown();
        ToolPins pins = tools.current();
        List<String> unknown =
                names.stream().filter(name -> !pins.isKnown(name)).toList();
        if (unknown.isEmpty()) {
            pins.all().stream()
                    .filter(pin -> pin.isListed() && !pin.isApproved())
                    .filter(pin -> names.isEmpty() || names.contains(pin.key()))
                    .forEach(pin -> tools.approved(pin.key(), pin.hash()));
        }
        return unknown;
    }

    @Override
    public void close() {
        isOver = true;
        wanted.countDown();
        backend.close();
        synchronized (doors) {
            doors.forEach(McpStage::close);
        }
    }

    private static void close(AutoCloseable door) {
        try {
            door.close();
        } catch (Exception e) {
            logger().atWarn().setCause(e).log("mcp.door.not_closed");
        }
    }

    private void openDoors() throws IOException {
        for (String each : List.of(SERVERS, DOORS, TRUST, AUTHORITIES, PROGRAM_TRUST)) {
            Files.createDirectories(directory(each));
        }
        Path authority = directory(TRUST).resolve("authority.pem");
        Files.writeString(authority, around.authority().get());
        Path port = around.runtimeDir().resolve("vsock").resolve("5002");
        synchronized (doors) {
            doors.add(EgressProxy.open(egress(), this::wayOf, scope));
            doors.add(ProgramSocket.open(
                    directory(SERVERS).resolve(BUILTIN),
                    () -> programs.builtin(around.sandbox(), port, authority),
                    _ -> {},
                    scope));
            doors.add(programServers);
        }
    }

    private Optional<AggregatorPipes> launch() throws IOException {
        Path authorities = directory(AUTHORITIES).resolve("extra.pem");
        Optional<Process> process = programs.aggregator(
                egress(),
                directory(SERVERS),
                network().copyAuthorities(authorities) ? Optional.of(authorities) : Optional.empty());
        return process.map(running ->
                new AggregatorPipes(running.getInputStream(), running.getOutputStream(), running::destroyForcibly));
    }

    private SessionNetwork network() {
        return configuration.now().network();
    }

    private boolean isServer(String name) {
        return configuration.now().servers().stream()
                .anyMatch(server -> server.name().value().equals(name));
    }

    private WayOut out() {
        return new WayOut(network().upstreamProxy(), lookup);
    }

    private Optional<EgressProxy.Route> wayOf(String host, int port) throws InterruptedException {
        return egress.routeOfAggregator(
                SessionServers.isDestination(configuration.now().servers(), host, port), host, port);
    }

    private Path egress() {
        return directory(DOORS).resolve("egress");
    }

    private Path directory(String name) {
        return around.runtimeDir().resolve("mcp").resolve(name);
    }

    private static Logger logger() {
        return LoggerFactory.getLogger(McpStage.class);
    }
}
