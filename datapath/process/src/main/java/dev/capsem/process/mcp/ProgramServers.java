package dev.capsem.process.mcp;

import dev.capsem.policy.artifact.Artifact.SandboxArtifact;
import dev.capsem.policy.diagnostic.CompilationError;
import dev.capsem.policy.ir.Element.NetRule;
import dev.capsem.process.mcp.io.EgressProxy;
import dev.capsem.process.mcp.io.ProgramSocket;
import dev.capsem.profiles.mcp.McpServer;
import dev.capsem.profiles.mcp.ServerTransport;
import dev.capsem.profiles.secret.Secret;
import dev.capsem.profiles.secret.SecretSource;
import dev.capsem.profiles.secret.SecretTemplate;
import dev.capsem.wire.io.TaskScope;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The servers of the profile that are programs: a door for each, behind which it runs in the sandbox that its
/// capabilities describe.
final class ProgramServers implements AutoCloseable {
    private final Path sockets;
    private final Path doors;
    private final Path trust;
    private final ToolPrograms programs;
    private final SecretSource secrets;
    private final EgressShell egress;
    private final Authorities authorities;
    private final ProgramTroubles troubles;
    private final TaskScope scope;

    /// The profile at the moment that a program starts.
    interface Authorities {
        /// Writes the extra ones there; false if there are none.
        boolean copy(Path to) throws IOException;
    }

    /// Guards the two fields below.
    private final Object lock = new Object();

    private final Map<McpServer, Opened> opened = new HashMap<>();
    private int count;

    private record Opened(ProgramSocket door, Optional<EgressProxy> egress) {
        void close() {
            door.close();
            egress.ifPresent(EgressProxy::close);
        }
    }

    /// @param sockets the directory that the aggregator sees
    /// @param doors one that no program sees as a whole
    /// @param trust one that every program with a way out may read
    ProgramServers(
            Path sockets,
            Path doors,
            Path trust,
            ToolPrograms programs,
            SecretSource secrets,
            EgressShell egress,
            Authorities authorities,
            ProgramTroubles troubles,
            TaskScope scope) {
        this.troubles = troubles;
        this.trust = trust;
        this.authorities = authorities;
        this.sockets = sockets;
        this.doors = doors;
        this.programs = programs;
        this.secrets = secrets;
        this.egress = egress;
        this.scope = scope;
    }

    /// Where the server can be connected to. Empty if it is no program, or cannot be one.
    Optional<String> socketOf(McpServer server) {
        if (!server.isUsable() || !(server.transport() instanceof ServerTransport.Stdio stdio)) {
            return Optional.empty();
        }
        synchronized (lock) {
            try {
                Opened there = opened.get(server);
                if (there == null) {
                    there = open(server, stdio);
                    opened.put(server, there);
                }
                return Optional.of(there.door().socket().toString());
            } catch (IOException | CompilationError e) {
                logger().atWarn()
                        .addKeyValue("server", server.name().value())
                        .addKeyValue("reason", e.getMessage())
                        .log("mcp.server.not_started");
                return Optional.empty();
            }
        }
    }

    /// Closes the doors of servers that are not among these any more, and ends their programs.
    void keepOnly(List<McpServer> servers) {
        synchronized (lock) {
            opened.entrySet().removeIf(entry -> {
                boolean isGone = !servers.contains(entry.getKey());
                if (isGone) {
                    entry.getValue().close();
                }
                return isGone;
            });
        }
    }

    @Override
    public void close() {
        keepOnly(List.of());
    }

    private Opened open(McpServer server, ServerTransport.Stdio stdio) throws IOException {
        String name = server.name().value();
        int number = ++count;
        Path way = doors.resolve("egress-" + number);
        ToolPolicy policy = new ToolPolicy(name).allow(server.capabilities());
        SandboxArtifact alone = policy.compile();
        boolean needsNetwork = !alone.egress().isEmpty();
        SandboxArtifact compiled =
                needsNetwork ? programs.withWayOut(policy, way, trust).compile() : alone;
        Optional<EgressProxy> egress = Optional.empty();
        if (needsNetwork) {
            egress =
                    Optional.of(EgressProxy.open(way, (host, port) -> decide(name, alone.egress(), host, port), scope));
        }
        ProgramSocket door = ProgramSocket.open(
                sockets.resolve(Integer.toString(number)),
                () -> programs.server(
                        name,
                        compiled,
                        revealed(stdio.args()),
                        revealed(stdio.env()),
                        needsNetwork ? Optional.of(new ToolPrograms.Way(way, trust())) : Optional.empty(),
                        stdio.command()),
                exitCode -> troubles.ended(name, exitCode),
                scope);
        return new Opened(door, egress);
    }

    private Optional<EgressProxy.Route> decide(String name, List<NetRule> granted, String host, int port)
            throws InterruptedException {
        Optional<EgressProxy.Route> route = egress.route(name, granted, host, port);
        if (route.isEmpty()) {
            troubles.refused(name, host, port);
        }
        return route;
    }

    private Optional<ProgramTrust> trust() throws IOException {
        Path extra = trust.resolve("extra.pem");
        return authorities.copy(extra) ? Optional.of(ProgramTrust.of(extra)) : Optional.empty();
    }

    private List<String> revealed(List<SecretTemplate> templates) throws IOException {
        List<String> values = new ArrayList<>();
        for (SecretTemplate template : templates) {
            values.add(revealed(template));
        }
        return values;
    }

    private Map<String, String> revealed(Map<String, SecretTemplate> templates) throws IOException {
        Map<String, String> values = new HashMap<>();
        for (Map.Entry<String, SecretTemplate> entry : templates.entrySet()) {
            values.put(entry.getKey(), revealed(entry.getValue()));
        }
        return values;
    }

    private String revealed(SecretTemplate template) throws IOException {
        if (template.isPlain()) {
            return template.text();
        }
        return template.resolve(secrets)
                .map(Secret::reveal)
                .orElseThrow(() -> new IOException(
                        "it needs " + template.references().getFirst().text() + ", which is not there"));
    }

    private static Logger logger() {
        return LoggerFactory.getLogger(ProgramServers.class);
    }
}
