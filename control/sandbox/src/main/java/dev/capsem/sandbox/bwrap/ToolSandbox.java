package dev.capsem.sandbox.bwrap;

import dev.capsem.sandbox.SandboxException;
import dev.capsem.sandbox.bwrap.io.HostFiles;
import dev.capsem.sandbox.bwrap.launch.Spawner;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Starts programs of the host that must not have the host's rights: each in a sandbox of its own, made from a
/// compiled policy. It ends with this process.
public final class ToolSandbox {
    private final Path launcher;
    private final Path bwrap;

    public ToolSandbox(BwrapFiles files) {
        this.launcher = files.launcher();
        this.bwrap = files.bwrap();
    }

    /// What to run and where.
    ///
    /// @param flags for bwrap, as the policy compiler made them
    /// @param guestHome where the program finds the home of a sandbox
    /// @param place a directory that the program finds under another path
    /// @param log gets what the program says on standard error
    public record Request(
            List<String> flags, List<String> command, Optional<GuestHome> guestHome, Optional<Place> place, Path log) {
        public Request {
            flags = List.copyOf(flags);
            command = List.copyOf(command);
        }
    }

    /// @param sandbox the first process of the sandbox whose home is meant
    /// @param source stands for that home in the flags
    public record GuestHome(long sandbox, String source) {}

    /// @param name stands for the directory in the flags
    public record Place(String name, Path directory) {}

    /// Throws [SandboxException] if it cannot be started; whether it goes on to run shows on its pipes.
    ///
    /// @param environment all the program gets beside what the flags say; may hold secrets
    public Process start(Request request, Map<String, String> environment) {
        Path program = HostFiles.findProgram(bwrap)
                .orElseThrow(() -> new SandboxException(
                        SandboxException.Code.HOST_UNFIT,
                        "bubblewrap is not installed",
                        "install bubblewrap 0.8 or later"));
        List<String> command = new ArrayList<>(List.of(launcher.toString(), "tool"));
        command.addAll(
                List.of("--parent", Long.toString(ProcessHandle.current().pid()), "--bwrap", program.toString()));
        request.guestHome()
                .ifPresent(home -> command.addAll(
                        List.of("--guest", Long.toString(agentOf(home.sandbox())), "--guest-home", home.source())));
        request.place()
                .ifPresent(place -> command.addAll(List.of(
                        "--place",
                        place.name(),
                        "--place-source",
                        place.directory().toString())));
        command.add("--");
        command.addAll(request.flags());
        command.add("--");
        command.addAll(request.command());
        try {
            return Spawner.spawnPiped(command, environment, request.log());
        } catch (UncheckedIOException e) {
            throw new SandboxException(
                    SandboxException.Code.LAUNCH_FAILED, "a tool's sandbox cannot be started", "look at its log", e);
        }
    }

    /// The first process only waits for the second, which lives inside.
    private static long agentOf(long sandbox) {
        return ProcessHandle.of(sandbox)
                .flatMap(first -> first.children().findFirst())
                .map(ProcessHandle::pid)
                .orElseThrow(() -> new SandboxException(
                        SandboxException.Code.LAUNCH_FAILED, "the sandbox is over", "start it again"));
    }
}
