package dev.capsem.process.mcp;

import dev.capsem.policy.Capgate;
import dev.capsem.policy.artifact.Artifact.SandboxArtifact;
import dev.capsem.policy.grammar.Capability;
import dev.capsem.policy.grammar.FsAction;
import dev.capsem.policy.grammar.FsPath;
import dev.capsem.policy.grammar.IpcEndpoint;
import dev.capsem.policy.grammar.Refinements;
import dev.capsem.policy.lowering.BwrapOptions;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Collects what a program behind MCP may do and compiles it into its sandbox.
final class ToolPolicy {
    /// Programs of the host, which find one another through the links of the last one.
    private static final BwrapOptions OPTIONS = new BwrapOptions(
            List.of("/usr", "/lib", "/lib64", "/bin", "/sbin", "/etc/ssl", "/etc/ca-certificates", "/etc/alternatives"),
            Optional.of(true),
            true);

    private final String name;
    private final List<Capability> capabilities = new ArrayList<>();

    ToolPolicy(String name) {
        this.name = name;
    }

    /// Throws CompilationError for a string that is no capability.
    ToolPolicy allow(List<String> texts) {
        texts.forEach(text -> capabilities.add(Capgate.parseCapability(text)));
        return this;
    }

    ToolPolicy read(Path directory) {
        return files(FsAction.READ, directory);
    }

    ToolPolicy write(Path directory) {
        return files(FsAction.READ, directory).files(FsAction.WRITE, directory);
    }

    ToolPolicy connect(Path socket) {
        capabilities.add(new Capability.Ipc(new IpcEndpoint("unix:" + socket), Refinements.NONE));
        return this;
    }

    SandboxArtifact compile() {
        return Capgate.lowerToBwrap(Capgate.normalize(name, "1", capabilities), OPTIONS);
    }

    private ToolPolicy files(FsAction action, Path directory) {
        capabilities.add(new Capability.Fs(List.of(action), new FsPath(directory + "/**"), Refinements.NONE));
        return this;
    }
}
