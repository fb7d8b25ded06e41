package dev.capsem.sandbox.bwrap;

import dev.capsem.sandbox.SandboxException;
import dev.capsem.sandbox.bwrap.io.CgroupFiles;
import dev.capsem.sandbox.bwrap.io.CgroupHost;
import dev.capsem.sandbox.bwrap.io.CgroupHost.Controller;
import dev.capsem.sandbox.bwrap.io.HostFiles;
import dev.capsem.sandbox.bwrap.io.IdRanges;
import dev.capsem.sandbox.bwrap.io.ProcessTable;
import dev.capsem.sandbox.bwrap.launch.Spawner;
import dev.capsem.wire.SandboxSpec.Limits;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/// Starts programs of the host that must not have the host's rights: each in a sandbox of its own, made from a
/// compiled policy. It ends with this process.
public final class ToolSandbox {
    private final Path launcher;
    private final Path bwrap;
    private final AtomicLong count = new AtomicLong();

    /// Found on first use, then never again: a host's cgroups do not change under us.
    private volatile @Nullable CgroupHost cgroupHost;

    public ToolSandbox(BwrapFiles files) {
        this.launcher = files.launcher();
        this.bwrap = files.bwrap();
    }

    /// Whether this host lets us limit what a program takes.
    public boolean canLimit() {
        return cgroups().grants(Controller.MEMORY) && cgroups().grants(Controller.PIDS);
    }

    /// The program to run and its surroundings.
    ///
    /// @param flags for bwrap, as the policy compiler made them
    /// @param guestHome where the program finds the home of a sandbox
    /// @param place a directory that the program finds under another path
    /// @param limits as far as the host grants them
    /// @param setsUpNetwork whether the command is one of ours that leads the network of its sandbox to itself, and
    ///     gives up the rights to do so before it runs another
    /// @param log gets what the program says on standard error
    public record Request(
            List<String> flags,
            List<String> command,
            Optional<GuestHome> guestHome,
            Optional<Place> place,
            Optional<Limits> limits,
            boolean setsUpNetwork,
            Path log) {
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
        // The same as its sandbox has: that one's home is mounted with these ids.
        IdRanges.ofThisProcess().ifPresent(number -> command.addAll(List.of("--id-range", Integer.toString(number))));
        if (request.setsUpNetwork()) {
            command.addAll(List.of("--network", "own"));
        }
        Optional<CgroupHost.Plan> plan = request.limits().map(this::planned);
        plan.ifPresent(made -> made.joinFiles().forEach(file -> command.addAll(List.of("--cgroup", file.toString()))));
        command.add("--");
        command.addAll(request.flags());
        command.add("--");
        command.addAll(request.command());
        try {
            Process process = Spawner.spawnPiped(command, environment, request.log());
            if (plan.isPresent()) {
                CompletableFuture<Void> _ =
                        process.onExit().thenRunAsync(() -> remove(plan.get()), Thread.ofVirtual()::start);
            }
            return process;
        } catch (UncheckedIOException e) {
            plan.ifPresent(ToolSandbox::remove);
            throw new SandboxException(
                    SandboxException.Code.LAUNCH_FAILED, "a tool's sandbox cannot be started", "look at its log", e);
        }
    }

    /// The groups' name ends with who we are: should we die first, they are swept with the others.
    private CgroupHost.Plan planned(Limits limits) {
        String name = CgroupFiles.ownedName(
                "tool-" + count.incrementAndGet(), ProcessHandle.current().pid());
        CgroupHost.Plan plan = cgroups().plan(name, limits);
        CgroupFiles.create(plan);
        return plan;
    }

    private static void remove(CgroupHost.Plan plan) {
        CgroupFiles.remove(
                plan.groups().stream().map(CgroupHost.Group::directory).toList());
    }

    private CgroupHost cgroups() {
        CgroupHost known = cgroupHost;
        if (known == null) {
            ProcessTable processes = new ProcessTable(Path.of("/proc"));
            known = CgroupFiles.detect(
                    processes.line("self/mounts").orElse(""),
                    processes.line("self/cgroup").orElse(""));
            cgroupHost = known;
        }
        return known;
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
