package dev.capsem.service.files;

import dev.capsem.service.commands.Commands;
import dev.capsem.service.problem.ServiceProblem;
import dev.capsem.service.sandboxes.Sandboxes;
import dev.capsem.service.table.Sandbox;
import dev.capsem.service.table.Status;
import dev.capsem.wire.service.FileEntry;
import java.util.List;
import java.util.Optional;

/// Reads, writes and lists files of a sandbox, running or not.
public final class SandboxFiles {
    public static final int FILE_BYTES_MAX = 10 * 1_048_576;
    public static final int DEPTH_MAX = 6;
    public static final int MODE_DEFAULT = 0644;

    private final Sandboxes sandboxes;
    private final Commands commands;

    public SandboxFiles(Sandboxes sandboxes, Commands commands) {
        this.sandboxes = sandboxes;
        this.commands = commands;
    }

    public byte[] read(String id, String path) {
        WorkspacePath file = WorkspacePath.file(path);
        Sandbox sandbox = sandboxes.find(id);
        if (sandbox.status() != Status.RUNNING) {
            return onHost(sandbox, file).read(file, FILE_BYTES_MAX);
        }
        return byAgent(
                sandbox, file, List.of("file-read", file.text(), Integer.toString(FILE_BYTES_MAX)), Optional.empty());
    }

    public void write(String id, String path, byte[] content) {
        write(id, path, content, MODE_DEFAULT);
    }

    /// @param mode permission bits of a sandbox that runs; files of others get the usual ones
    public void write(String id, String path, byte[] content, int mode) {
        WorkspacePath file = WorkspacePath.file(path);
        Sandbox sandbox = sandboxes.find(id);
        switch (sandbox.status()) {
            case RUNNING, STARTING ->
                byAgent(sandbox, file, List.of("file-write", file.text(), "0%o".formatted(mode)), Optional.of(content));
            case STOPPED, DEFUNCT -> onHost(sandbox, file).write(file, content);
            case SUSPENDED ->
                throw new ServiceProblem(
                        ServiceProblem.Code.SUSPENDED,
                        "the sandbox " + id + " is suspended and its files stand still with it",
                        "let it go on: `capsem resume " + id + "`");
        }
    }

    public List<FileEntry> list(String id, String path, int depth) {
        WorkspacePath directory = WorkspacePath.directory(path);
        Sandbox sandbox = sandboxes.find(id);
        if (sandbox.status() != Status.RUNNING) {
            return new Listing(onHost(sandbox, directory).list(directory, depth)).below(directory);
        }
        byte[] output = byAgent(
                sandbox, directory, List.of("file-list", directory.text(), Integer.toString(depth)), Optional.empty());
        return Listing.ofAgent(output).below(directory);
    }

    /// The direct children of a directory, in no order.
    public List<GuestFile> children(String id, String path) {
        WorkspacePath directory = WorkspacePath.directory(path);
        Sandbox sandbox = sandboxes.find(id);
        if (sandbox.status() != Status.RUNNING) {
            return onHost(sandbox, directory).list(directory, 1);
        }
        return Listing.parse(
                byAgent(sandbox, directory, List.of("file-list", directory.text(), "1"), Optional.empty()));
    }

    /// A listing in the agent's form, which another program of the guest made.
    public static List<GuestFile> parse(byte[] listing) {
        return Listing.parse(listing);
    }

    public static Optional<String> mediaType(String path) {
        return Listing.mime(path);
    }

    private static HostWorkspace onHost(Sandbox sandbox, WorkspacePath path) {
        boolean inProject = sandbox.facts()
                .project()
                .filter(project ->
                        !path.parts().isEmpty() && path.parts().getFirst().equals(project.name()))
                .isPresent();
        if (inProject) {
            throw new ServiceProblem(
                    ServiceProblem.Code.NOT_RUNNING,
                    "the project's files can be seen only while the sandbox runs",
                    "start it: `capsem resume " + sandbox.id() + "`, or see what changed: `capsem diff " + sandbox.id()
                            + "`");
        }
        return new HostWorkspace(sandbox.facts().sessionDir().resolve("workspace"));
    }

    /// Exit codes as in `docs/reference/guest-protocol.md`.
    private byte[] byAgent(Sandbox sandbox, WorkspacePath path, List<String> argv, Optional<byte[]> content) {
        Commands.FileOutcome outcome = commands.file(sandbox, argv, content);
        return switch (outcome.exitCode()) {
            case 0 -> outcome.output();
            case 2 -> throw HostWorkspace.missing(path);
            case 3 ->
                throw new ServiceProblem(
                        ServiceProblem.Code.PATH_OUTSIDE,
                        outcome.message().isBlank()
                                ? path.text() + " is refused"
                                : outcome.message().strip(),
                        "name a regular file below /root, not a link");
            case 4 ->
                throw new ServiceProblem(
                        ServiceProblem.Code.TOO_LARGE,
                        path.text() + " is larger than " + FILE_BYTES_MAX + " bytes",
                        "take it in parts, for example with `split`");
            default ->
                throw new ServiceProblem(
                        ServiceProblem.Code.OPERATION_FAILED,
                        "the file operation failed: " + outcome.message().strip(),
                        "is the path writable inside the sandbox?");
        };
    }
}
