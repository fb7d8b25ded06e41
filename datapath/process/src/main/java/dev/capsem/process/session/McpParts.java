package dev.capsem.process.session;

import dev.capsem.network.tls.AuthorityKeys;
import dev.capsem.process.configuration.ConfigurationInForce;
import dev.capsem.process.mcp.McpStage;
import dev.capsem.process.mcp.ToolPrograms;
import dev.capsem.profiles.secret.SecretSource;
import dev.capsem.sandbox.bwrap.BwrapFiles;
import dev.capsem.sandbox.bwrap.ToolSandbox;
import dev.capsem.wire.SandboxSpec;
import dev.capsem.wire.io.TaskScope;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Supplier;

/// Puts the MCP stage of a sandbox together.
final class McpParts {
    private McpParts() {}

    /// @param sessionDir where the session is at the moment
    /// @param sandbox its first process
    static McpStage of(
            SandboxStart.Installation installation,
            McpStage.Neighbours neighbours,
            ConfigurationInForce configuration,
            SecretSource secrets,
            Supplier<Path> sessionDir,
            SandboxSpec spec,
            long sandbox,
            TaskScope scope) {
        Path home = installation.home();
        ToolPrograms programs = new ToolPrograms(
                installation.dist(),
                Path.of(System.getProperty("java.home", "/usr")),
                new ToolSandbox(BwrapFiles.in(installation.dist(), home)),
                sessionDir);
        return new McpStage(
                neighbours,
                configuration,
                new McpStage.Surroundings(
                        sessionDir,
                        spec.runtimeDir(),
                        home.resolve("mcp").resolve(spec.profileId()),
                        secrets,
                        () -> certificate(installation.authorityDir()),
                        sandbox,
                        installation.environment()),
                programs,
                scope);
    }

    private static String certificate(Path authorityDir) {
        try {
            Path own = authorityDir.resolve("capsem-ca.crt");
            return Files.exists(own)
                    ? Files.readString(own)
                    : AuthorityKeys.builtIn().certificatePem();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
