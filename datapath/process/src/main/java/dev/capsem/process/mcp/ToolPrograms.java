package dev.capsem.process.mcp;

import dev.capsem.policy.artifact.Artifact.SandboxArtifact;
import dev.capsem.process.configuration.SessionDirectory;
import dev.capsem.sandbox.SandboxException;
import dev.capsem.sandbox.bwrap.ToolSandbox;
import dev.capsem.wire.SandboxSpec.Limits;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Starts the programs behind the endpoint, each with what it needs and nothing else.
public final class ToolPrograms {
    private static final String AGGREGATOR = "capsem-mcp-aggregator";
    /// Inside a sandbox that has no other port.
    private static final String PROXY_PORT = "3128";

    private static final String BUILTIN = "capsem-mcp-builtin";
    /// Where the built-in tools find the workspace.
    private static final Path WORKSPACE = Path.of("/workspace");

    private static final Path SNAPSHOTS = Path.of("/snapshots");

    /// Of one server that is a program, with everything it starts. Enough for one that drives a browser.
    private static final Limits SERVER_LIMITS = new Limits(2_048, 2, 512);

    private final Path dist;
    private final Path javaHome;
    private final ToolSandbox sandboxes;
    private final SessionDirectory sessionDir;
    private final AtomicBoolean saidUnlimited = new AtomicBoolean();

    /// @param dist the built programs
    /// @param sessionDir where the programs' logs go; it may move while the sandbox runs
    public ToolPrograms(Path dist, Path javaHome, ToolSandbox sandboxes, SessionDirectory sessionDir) {
        this.dist = dist;
        this.javaHome = javaHome;
        this.sandboxes = sandboxes;
        this.sessionDir = sessionDir;
    }

    /// Empty if it is not installed.
    ///
    /// @param egress its only way out
    /// @param servers a directory of sockets, behind which the built-in tools and servers that are programs wait
    /// @param authorities certificates that count beside the usual ones, alone in their directory
    Optional<Process> aggregator(Path egress, Path servers, Optional<Path> authorities) throws IOException {
        Path program = dist.resolve("bin").resolve(AGGREGATOR);
        if (!Files.isExecutable(program)) {
            return Optional.empty();
        }
        ToolPolicy policy = ofJava(AGGREGATOR).connect(egress).read(servers);
        Map<String, String> environment = new HashMap<>(Map.of(
                "CAPSEM_EGRESS_SOCKET", egress.toString(),
                "CAPSEM_JAVA_HOME", javaHome.toString()));
        if (authorities.isPresent()) {
            policy = policy.read(authorities.get().resolveSibling(""));
            environment.put("CAPSEM_EXTRA_CA_FILE", authorities.get().toString());
        }
        return Optional.of(start(
                policy.compile(),
                List.of(program.toString()),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                false,
                "aggregator.log",
                environment));
    }

    /// @param sandbox whose workspace the tools work on
    /// @param network port 5002 of that sandbox
    /// @param authority the certificate that counts there, alone in its directory
    Process builtin(long sandbox, Path network, Path authority) throws IOException {
        Path snapshots = Files.createDirectories(sessionDir.path().resolve("snapshots"));
        ToolPolicy policy = ofJava(BUILTIN)
                .write(WORKSPACE)
                .write(SNAPSHOTS)
                .connect(network)
                .read(authority.resolveSibling(""));
        return start(
                policy.compile(),
                List.of(dist.resolve("bin").resolve(BUILTIN).toString()),
                Optional.of(new ToolSandbox.GuestHome(sandbox, WORKSPACE.toString())),
                Optional.of(new ToolSandbox.Place(SNAPSHOTS.toString(), snapshots)),
                Optional.empty(),
                false,
                "builtin.log",
                Map.of(
                        "CAPSEM_WORKSPACE", WORKSPACE.toString(),
                        "CAPSEM_SNAPSHOTS", SNAPSHOTS.toString(),
                        "CAPSEM_STREAM_SOCKET", network.toString(),
                        "SSL_CERT_FILE", authority.toString(),
                        "CAPSEM_JAVA_HOME", javaHome.toString()));
    }

    /// How a program reaches the network.
    ///
    /// @param door where the host decides
    /// @param trust certificates that count beside the usual ones, if there are any
    record Way(Path door, Optional<ProgramTrust> trust) {}

    /// @param way its way out, if it may go anywhere
    Process server(
            String name,
            SandboxArtifact policy,
            List<String> arguments,
            Map<String, String> environment,
            Optional<Way> way,
            String program)
            throws IOException {
        List<String> command = new ArrayList<>();
        Map<String, String> all = new HashMap<>(environment);
        if (way.isPresent()) {
            command.addAll(List.of(proxy().toString(), way.get().door().toString(), PROXY_PORT));
            way.get().trust().ifPresent(trust -> trust.environment().forEach(all::putIfAbsent));
            String url = "http://127.0.0.1:" + PROXY_PORT;
            List.of("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy").forEach(each -> all.put(each, url));
            all.put("NODE_USE_ENV_PROXY", "1");
        }
        command.add(program);
        command.addAll(arguments);
        if (!sandboxes.canLimit() && saidUnlimited.compareAndSet(false, true)) {
            logger().atWarn()
                    .addKeyValue("reason", "this host grants no cgroups for memory and processes")
                    .addKeyValue("remedy", "run as root, or delegate a cgroup with memory and pids to this user")
                    .log("mcp.server.unlimited");
        }
        return start(
                policy,
                command,
                Optional.empty(),
                Optional.empty(),
                Optional.of(SERVER_LIMITS),
                way.isPresent(),
                ProgramTroubles.logOf(name),
                all);
    }

    /// The policy of a program that reaches the network through a door of ours.
    ToolPolicy withWayOut(ToolPolicy policy, Path door, Path trust) {
        return policy.read(proxy().resolveSibling("")).read(trust).connect(door);
    }

    private Path proxy() {
        return dist.resolve("libexec").resolve("tool").resolve("capsem-tool-proxy");
    }

    private ToolPolicy ofJava(String name) {
        return new ToolPolicy(name).read(dist).read(javaHome);
    }

    private Process start(
            SandboxArtifact policy,
            List<String> command,
            Optional<ToolSandbox.GuestHome> home,
            Optional<ToolSandbox.Place> place,
            Optional<Limits> limits,
            boolean setsUpNetwork,
            String log,
            Map<String, String> environment)
            throws IOException {
        try {
            return sandboxes.start(
                    new ToolSandbox.Request(
                            policy.argv(),
                            command,
                            home,
                            place,
                            limits,
                            setsUpNetwork,
                            sessionDir.path().resolve(log)),
                    environment);
        } catch (SandboxException e) {
            throw new IOException(e.getMessage() + "; " + e.remedy(), e);
        }
    }

    private static Logger logger() {
        return LoggerFactory.getLogger(ToolPrograms.class);
    }
}
