package dev.capsem.sandbox.bwrap;

import dev.capsem.sandbox.Abilities;
import dev.capsem.sandbox.HostProblem;
import dev.capsem.sandbox.LayerUse;
import dev.capsem.sandbox.MemoryUse;
import dev.capsem.sandbox.RunningSandbox;
import dev.capsem.sandbox.SandboxDriver;
import dev.capsem.sandbox.SandboxException;
import dev.capsem.sandbox.SandboxException.Code;
import dev.capsem.sandbox.SandboxHandle;
import dev.capsem.sandbox.bwrap.io.CgroupFiles;
import dev.capsem.sandbox.bwrap.io.CgroupHost;
import dev.capsem.sandbox.bwrap.io.CgroupHost.Controller;
import dev.capsem.sandbox.bwrap.io.HostFiles;
import dev.capsem.sandbox.bwrap.io.IdRanges;
import dev.capsem.sandbox.bwrap.io.ProcessTable;
import dev.capsem.sandbox.bwrap.io.SessionLog;
import dev.capsem.sandbox.bwrap.io.TemplateStore;
import dev.capsem.sandbox.bwrap.io.TreeFiles;
import dev.capsem.sandbox.bwrap.io.TreeMemory;
import dev.capsem.sandbox.bwrap.io.TrustFiles;
import dev.capsem.sandbox.bwrap.launch.Spawner;
import dev.capsem.sandbox.bwrap.launch.Tool;
import dev.capsem.sandbox.trust.AuthorityCertificate;
import dev.capsem.sandbox.workspace.git.BorrowedRepository;
import dev.capsem.wire.SandboxSpec;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// Sandboxes by bubblewrap, as root or as an ordinary user.
public final class BwrapDriver implements SandboxDriver {
    static final String NAME = "bwrap";

    private static final Duration STEP_TIME_MAX = Duration.ofSeconds(10);
    private static final Duration TEMPLATE_TIME_MAX = Duration.ofMinutes(2);
    /// Copying and removing are as long as the session is large.
    private static final Duration TREE_TIME_MAX = Duration.ofMinutes(10);

    /// Some millions of files; more than that passes any quota.
    private static final Duration MEASURE_TIME_MAX = Duration.ofSeconds(60);

    private static final Duration END_TIME_MAX = Duration.ofSeconds(10);

    /// What belongs to a fork: the layers and what the project was; never databases, logs or the overlay's
    /// work directories.
    private static final List<String> STATE = List.of("up", "workspace", "project.manifest", "project.base");

    /// The directories on the host's disk that a guest writes to.
    private static final List<String> LAYERS = List.of("up", "wk", "workspace");

    private final BwrapFiles files;
    private final ProcessTable processes = new ProcessTable(Path.of("/proc"));
    private final TreeFiles treeFiles = new TreeFiles(processes, Path.of("/proc"));
    private final TreeMemory treeMemory = new TreeMemory(processes, treeFiles, Path.of("/proc"));
    private final TemplateStore templates;
    private final HostStamp stamp = new HostStamp(this::askStamp);
    private final TreeSignals signals;

    /// Found on first use, then never again: a host's cgroups do not change under us.
    private volatile @Nullable CgroupHost cgroupHost;

    /// The same, for hosts without them; tried once.
    private volatile Optional<UserScope> userScope = Optional.empty();

    private volatile boolean userScopeTried;

    public BwrapDriver(BwrapFiles files) {
        this.files = files;
        this.templates = new TemplateStore(files.templates());
        this.signals = new TreeSignals(files.launcher(), processes);
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public Abilities abilities() {
        CgroupHost cgroups = cgroups();
        return new Abilities(
                Abilities.SuspendMode.FREEZE,
                memoryLimit(cgroups),
                cgroups.grants(Controller.CPU),
                true,
                IdRanges.runsAsRoot() ? Abilities.KernelCounts.OWN : Abilities.KernelCounts.SHARED_WITH_USER);
    }

    private Abilities.MemoryLimit memoryLimit(CgroupHost cgroups) {
        if (cgroups.grants(Controller.MEMORY)) {
            return Abilities.MemoryLimit.CGROUP;
        }
        return scope().isPresent() ? Abilities.MemoryLimit.SCOPE : Abilities.MemoryLimit.WATCHED;
    }

    @Override
    public List<HostProblem> hostProblems() {
        return new HostCheck(files, processes).problems();
    }

    @Override
    public List<HostProblem> trialProblems() {
        List<HostProblem> problems = hostProblems();
        if (!problems.isEmpty()) {
            return problems;
        }
        try {
            Path bwrap = HostFiles.findProgram(files.bwrap()).orElseThrow();
            return new StartTrial(files, bwrap, template()).problem().stream().toList();
        } catch (SandboxException e) {
            return List.of(new HostProblem(e.code().name(), String.valueOf(e.getMessage()), e.remedy()));
        }
    }

    @Override
    public void prepareLaunch() {
        Abilities _ = abilities();
        String _ = stamp.get();
    }

    @Override
    public void prepareHost() {
        template();
        CgroupFiles.sweep(cgroups());
    }

    @Override
    public RunningSandbox launch(SandboxSpec spec, Path serialLog) {
        Path bwrap = HostFiles.findProgram(files.bwrap())
                .orElseThrow(() -> new SandboxException(
                        Code.HOST_UNFIT, "bubblewrap is not installed", "run ./capsem setup, or install bubblewrap"));
        Path template = template();
        OptionalInt ids = IdRanges.ofThisProcess();
        long parent = ProcessHandle.current().pid();
        CgroupHost.Plan plan = cgroups().plan(CgroupFiles.ownedName(spec.id().toString(), parent), spec.limits());
        CgroupFiles.create(plan);
        try {
            Abilities.MemoryLimit limit = abilities().memoryLimit();
            boolean memoryByRlimit = limit == Abilities.MemoryLimit.WATCHED;
            List<String> command =
                    LaunchCommand.of(files, bwrap, template, spec, gitObjects(spec), ids, plan, memoryByRlimit, parent);
            SessionLog log = SessionLog.fromNow(serialLog);
            Process process = Spawner.spawn(
                    limit == Abilities.MemoryLimit.SCOPE
                            ? scope().orElseThrow().around(command, spec.limits())
                            : command,
                    serialLog);
            // A process that is over already has no start time; nothing will be asked of it.
            OptionalLong startTicks = processes.startTicks(process.pid());
            return new BwrapSandbox(process, startTicks.orElse(0), spec.runtimeDir(), plan, signals, processes, log);
        } catch (UncheckedIOException e) {
            CgroupFiles.remove(
                    plan.groups().stream().map(CgroupHost.Group::directory).toList());
            throw new SandboxException(
                    Code.LAUNCH_FAILED, "cannot start the sandbox: " + e.getMessage(), "run ./capsem build", e);
        }
    }

    private static Optional<Path> gitObjects(SandboxSpec spec) {
        return spec.project()
                .filter(project -> project.access() == SandboxSpec.Project.Access.COPY_ON_WRITE)
                .flatMap(project -> BorrowedRepository.objects(project.source()));
    }

    @Override
    public long copyState(Path sourceSession, Path targetSession) {
        List<String> present = STATE.stream()
                .filter(name -> HostFiles.exists(sourceSession.resolve(name)))
                .toList();
        if (present.isEmpty()) {
            return 0;
        }
        List<String> copy = new ArrayList<>(List.of(
                "cp",
                "-a",
                "--reflink=auto",
                "-t",
                targetSession.toAbsolutePath().toString(),
                "--"));
        copy.addAll(present);
        asRoot(copy, sourceSession, Code.COPY_FAILED, "copy the sandbox's state");
        List<String> measure = new ArrayList<>(List.of("du", "-s", "-c", "-B1", "--"));
        measure.addAll(present);
        String sizes = asRoot(measure, targetSession, Code.COPY_FAILED, "measure the copy");
        String total = sizes.substring(sizes.lastIndexOf('\n') + 1);
        return Long.parseLong(total.substring(0, total.indexOf('\t')));
    }

    @Override
    public LayerUse layersOf(Path sessionDir, SandboxHandle handle, Predicate<LayerUse> isEnough) {
        List<String> present = LAYERS.stream()
                .filter(name -> HostFiles.exists(sessionDir.resolve(name)))
                .toList();
        if (present.isEmpty()) {
            return LayerUse.NOTHING;
        }
        LayerUse bytes = new LayerUse(diskUse(sessionDir, "-B1", present), 0);
        if (isEnough.test(bytes)) {
            return bytes;
        }
        LayerUse named = new LayerUse(bytes.bytes(), diskUse(sessionDir, "--inodes", present));
        return isEnough.test(named)
                ? named
                : new LayerUse(named.bytes() + treeFiles.unlinked(tree(handle)), named.files());
    }

    @Override
    public long writtenBy(SandboxHandle handle) {
        return treeFiles.written(tree(handle));
    }

    @Override
    public MemoryUse memoryOf(SandboxHandle handle) {
        return treeMemory.of(tree(handle));
    }

    @Override
    public boolean endLargest(SandboxHandle handle, MemoryUse measured) {
        // Only if it is still there: a pid that was given to somebody else is not below this sandbox.
        return measured.largest().isPresent()
                && ProcessHandle.of(handle.pid()).stream()
                        .flatMap(ProcessHandle::descendants)
                        .filter(process -> process.pid() == measured.largest().getAsLong())
                        .anyMatch(ProcessHandle::destroyForcibly);
    }

    /// The sandbox's processes, the agent first; none if it is over.
    private List<Long> tree(SandboxHandle handle) {
        if (!processes.isAlive(handle.pid(), handle.startTicks())) {
            return List.of();
        }
        long agent = Resources.agentOf(handle).map(Resources.ProcessId::pid).orElse(0L);
        return ProcessHandle.of(handle.pid()).stream()
                .flatMap(ProcessHandle::descendants)
                .map(ProcessHandle::pid)
                .sorted(Comparator.comparing((Long pid) -> pid != agent).thenComparing(Comparator.naturalOrder()))
                .toList();
    }

    /// @param unit what `du` is to count
    private long diskUse(Path directory, String unit, List<String> names) {
        // Files come and go meanwhile, of which du complains; its last line is the total all the same. Not with a lower
        // priority than others have: on a busy host the guest would write on for as long as du waits.
        List<String> measure =
                new ArrayList<>(List.of("sh", "-c", "exec du -s -c -x \"$@\" 2>/dev/null", "du", unit, "--"));
        measure.addAll(names);
        Tool.Result result =
                runAsRoot(measure, directory, MEASURE_TIME_MAX, Code.MEASURE_FAILED, "measure the sandbox");
        String total = result.output().substring(result.output().lastIndexOf('\n') + 1);
        try {
            return Long.parseLong(total.substring(0, Math.max(0, total.indexOf('\t'))));
        } catch (NumberFormatException e) {
            throw new SandboxException(
                    Code.MEASURE_FAILED,
                    "cannot measure the sandbox: " + result.output(),
                    "check that du of GNU coreutils is installed",
                    e);
        }
    }

    @Override
    public void cleanUp(SandboxHandle handle) {
        List<Resources.ProcessId> roots =
                new ArrayList<>(List.of(new Resources.ProcessId(handle.pid(), handle.startTicks())));
        Resources.agentOf(handle).ifPresent(roots::add);
        roots.forEach(root -> signals.send("kill", root.pid(), root.startTicks()));
        // Also thaws: what was frozen dies only now.
        CgroupFiles.remove(Resources.cgroupsOf(handle.resources()));
        roots.forEach(this::awaitEnd);
        Resources.runtimeOf(handle).ifPresent(HostFiles::removeSockets);
    }

    @Override
    public void endAbandoned(Path below) {
        processes.abandoned(below).forEach(ProcessHandle::destroyForcibly);
    }

    @Override
    public void removeSession(Path sessionDir) {
        asRoot(
                List.of("rm", "-rf", "--", sessionDir.toAbsolutePath().toString()),
                Path.of("/"),
                Code.REMOVE_FAILED,
                "remove the session");
    }

    private Path template() {
        try {
            AuthorityCertificate authority = TrustFiles.authority(files.authority());
            return templates.hold(
                    stamp.get() + "-" + authority.fingerprint(),
                    target -> makeTemplate(target, authority),
                    this::removeSession);
        } catch (IOException e) {
            throw templateFailed(e.toString(), Optional.of(e));
        }
    }

    private List<String> askStamp() {
        Tool.Result answer =
                Tool.run(List.of(files.launcher().toString(), "template", "--stamp"), Path.of("/"), STEP_TIME_MAX);
        if (!answer.succeeded()) {
            throw templateFailed(answer.output(), Optional.empty());
        }
        return answer.output().lines().toList();
    }

    /// Under another name until it is complete. What a crash leaves under that name is a template that nobody uses.
    private void makeTemplate(Path target, AuthorityCertificate authority) {
        Path unfinished = target.resolveSibling(target.getFileName() + ".unfinished");
        if (HostFiles.exists(unfinished)) {
            removeSession(unfinished);
        }
        Tool.Result result = Tool.run(
                List.of(files.launcher().toString(), "template", "--out", unfinished.toString()),
                Path.of("/"),
                TEMPLATE_TIME_MAX);
        if (!result.succeeded()) {
            throw templateFailed(result.output(), Optional.empty());
        }
        try {
            TrustFiles.write(unfinished, authority);
            HostFiles.rename(unfinished, target);
        } catch (IOException e) {
            throw templateFailed(e.toString(), Optional.of(e));
        }
    }

    private void awaitEnd(Resources.ProcessId process) {
        long deadline = System.nanoTime() + END_TIME_MAX.toNanos();
        while (processes.isAlive(process.pid(), process.startTicks())) {
            if (System.nanoTime() > deadline) {
                throw new SandboxException(
                        Code.DESTROY_FAILED,
                        "process " + process.pid() + " did not end",
                        "look for processes in state D; they end when their disk answers");
            }
            pause();
        }
    }

    private static void pause() {
        try {
            Thread.sleep(2);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new SandboxException(Code.DESTROY_FAILED, "interrupted while waiting for a process", "try again");
        }
    }

    /// As root of a user namespace an ordinary user gets past the modes that a guest left on the user's own files.
    private String asRoot(List<String> command, Path directory, Code code, String what) {
        Tool.Result result = runAsRoot(command, directory, TREE_TIME_MAX, code, what);
        if (result.succeeded()) {
            return result.output();
        }
        throw new SandboxException(
                code,
                "cannot " + what + ": " + result.output().lines().findFirst().orElse("no reason given"),
                "check disk space and who owns the files");
    }

    private Tool.Result runAsRoot(List<String> command, Path directory, Duration timeMax, Code code, String what) {
        List<String> whole = new ArrayList<>(List.of(files.launcher().toString(), "as-root", "--"));
        whole.addAll(command);
        try {
            return Tool.run(whole, directory, timeMax);
        } catch (UncheckedIOException e) {
            throw new SandboxException(code, "cannot " + what + ": " + e.getMessage(), "run ./capsem build", e);
        }
    }

    private CgroupHost cgroups() {
        CgroupHost known = cgroupHost;
        if (known == null) {
            known = CgroupFiles.detect(
                    processes.line("self/mounts").orElse(""),
                    processes.line("self/cgroup").orElse(""));
            cgroupHost = known;
        }
        return known;
    }

    private Optional<UserScope> scope() {
        if (!userScopeTried) {
            userScope = UserScope.detect(processes.runtimeDirectory());
            userScopeTried = true;
        }
        return userScope;
    }

    private static SandboxException templateFailed(String cause, Optional<Exception> origin) {
        String text = "cannot make the base template: " + cause;
        String remedy = "check disk space below the template's directory";
        return origin.map(e -> new SandboxException(Code.TEMPLATE_FAILED, text, remedy, e))
                .orElseGet(() -> new SandboxException(Code.TEMPLATE_FAILED, text, remedy));
    }
}
