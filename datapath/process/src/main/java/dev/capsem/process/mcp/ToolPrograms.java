package dev.capsem.process.mcp;

import dev.capsem.policy.lowering.Artifact.SandboxArtifact;
import dev.capsem.sandbox.SandboxException;
import dev.capsem.sandbox.bwrap.ToolSandbox;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/// Starts the programs behind the endpoint, each with what it needs and nothing else.
public final class ToolPrograms {
    private static final String AGGREGATOR = "capsem-mcp-aggregator";
    private static final String BUILTIN = "capsem-mcp-builtin";
    /// Where the built-in tools find the workspace.
    private static final Path WORKSPACE = Path.of("/workspace");

    private final Path dist;
    private final Path javaHome;
    private final ToolSandbox sandboxes;
    private final Supplier<Path> sessionDir;

    /// @param dist the built programs
    /// @param sessionDir where the programs' logs go; it may move while the sandbox runs
    public ToolPrograms(Path dist, Path javaHome, ToolSandbox sandboxes, Supplier<Path> sessionDir) {
        this.dist = dist;
        this.javaHome = javaHome;
        this.sandboxes = sandboxes;
        this.sessionDir = sessionDir;
    }

    /// Empty if it is not installed.
    ///
    /// @param egress its only way out
    /// @param programs the sockets of servers that are programs
    Optional<Process> aggregator(Path egress, List<Path> programs) throws IOException {
        Path program = dist.resolve("bin").resolve(AGGREGATOR);
        if (!Files.isExecutable(program)) {
            return Optional.empty();
        }
        ToolPolicy policy = ofJava(AGGREGATOR).connect(egress);
        programs.forEach(policy::connect);
        return Optional.of(start(
                policy.compile(),
                List.of(program.toString()),
                Optional.empty(),
                "aggregator.log",
                Map.of(
                        "CAPSEM_EGRESS_SOCKET", egress.toString(),
                        "CAPSEM_JAVA_HOME", javaHome.toString())));
    }

    /// @param sandbox whose workspace the tools work on
    /// @param network port 5002 of that sandbox
    /// @param authority the certificate that counts there, alone in its directory
    Process builtin(long sandbox, Path network, Path authority) throws IOException {
        ToolPolicy policy = ofJava(BUILTIN)
                .write(WORKSPACE)
                .connect(network)
                .read(authority.toAbsolutePath().getParent());
        return start(
                policy.compile(),
                List.of(dist.resolve("bin").resolve(BUILTIN).toString()),
                Optional.of(new ToolSandbox.GuestHome(sandbox, WORKSPACE.toString())),
                "builtin.log",
                Map.of(
                        "CAPSEM_WORKSPACE", WORKSPACE.toString(),
                        "CAPSEM_STREAM_SOCKET", network.toString(),
                        "SSL_CERT_FILE", authority.toString(),
                        "CAPSEM_JAVA_HOME", javaHome.toString()));
    }

    private ToolPolicy ofJava(String name) {
        return new ToolPolicy(name).read(dist).read(javaHome);
    }

    private Process start(
            SandboxArtifact policy,
            List<String> command,
            Optional<ToolSandbox.GuestHome> home,
            String log,
            Map<String, String> environment)
            throws IOException {
        try {
            return sandboxes.start(
                    new ToolSandbox.Request(
                            policy.argv(), command, home, sessionDir.get().resolve(log)),
                    environment);
        } catch (SandboxException e) {
            throw new IOException(e.getMessage() + "; " + e.remedy(), e);
        }
    }
}
