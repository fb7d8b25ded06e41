package dev.capsem.sandbox.bwrap.io;

import dev.capsem.sandbox.SandboxException;
import dev.capsem.sandbox.bwrap.io.CgroupHost.Controller;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// Finds, makes, writes and removes cgroups.
public final class CgroupFiles {
    /// Our directory in a hierarchy; sandboxes are one level below.
    private static final String OURS = "capsem";

    private static final Pattern OWNER = Pattern.compile("(?:-p(\\d{1,12}))?-(\\d{1,9})$");

    private static final Duration FREEZE_TIME_MAX = Duration.ofSeconds(10);
    /// The kernel needs a moment to let go of the dead.
    private static final Duration REMOVE_TIME_MAX = Duration.ofSeconds(5);

    private CgroupFiles() {}

    /// Finds out by trying: creates our directory and enables its controllers. What fails is not granted.
    ///
    /// @param mounts the text of /proc/self/mounts
    /// @param self the text of /proc/self/cgroup
    public static CgroupHost detect(String mounts, String self) {
        Map<Controller, Path> version1 = new EnumMap<>(Controller.class);
        Optional<Path> unified = Optional.empty();
        for (String mount : mounts.lines().toList()) {
            String[] fields = mount.split(" ");
            if (fields.length < 4) {
                continue;
            }
            Path point = Path.of(fields[1]);
            if (fields[2].equals("cgroup2")) {
                unified = Optional.of(point);
            } else if (fields[2].equals("cgroup")) {
                Set<String> options = Set.of(fields[3].split(","));
                for (Controller controller : Controller.values()) {
                    if (options.contains(nameOf(controller)) && make(point.resolve(OURS))) {
                        version1.put(controller, point.resolve(OURS));
                    }
                }
            }
        }
        Optional<CgroupHost> version2 = unified.flatMap(point -> version2(point, self));
        if (version2.isPresent() && version2.get().grants(Controller.MEMORY)) {
            return version2.get();
        }
        return version1.isEmpty() ? version2.orElse(new CgroupHost.None()) : new CgroupHost.Version1(version1);
    }

    /// Root owns the hierarchy's top. A user may have been given a subtree: the highest directory above the own
    /// group that is writable, so that moving a process from here to there stays within it.
    private static Optional<CgroupHost> version2(Path point, String self) {
        Optional<Path> own = self.lines()
                .filter(line -> line.startsWith("0::/"))
                .map(line -> point.resolve(line.substring("0::/".length())))
                .findFirst();
        Path granted = null;
        if (Files.isWritable(point.resolve("cgroup.procs"))) {
            granted = point;
        } else {
            for (Path at = own.orElse(point);
                    at != null && at.startsWith(point) && !at.equals(point);
                    at = at.getParent()) {
                if (Files.isWritable(at) && Files.isWritable(at.resolve("cgroup.procs"))) {
                    granted = at;
                }
            }
        }
        if (granted == null || !make(granted.resolve(OURS))) {
            return Optional.empty();
        }
        Path ours = granted.resolve(OURS);
        EnumSet<Controller> controllers = EnumSet.noneOf(Controller.class);
        for (Controller controller : List.of(Controller.MEMORY, Controller.PIDS, Controller.CPU)) {
            String enable = "+" + nameOf(controller);
            tryWrite(granted.resolve("cgroup.subtree_control"), enable);
            if (tryWrite(ours.resolve("cgroup.subtree_control"), enable)) {
                controllers.add(controller);
            }
        }
        if (Files.exists(ours.resolve("cgroup.freeze"))) {
            controllers.add(Controller.FREEZER);
        }
        return controllers.isEmpty() ? Optional.empty() : Optional.of(new CgroupHost.Version2(ours, controllers));
    }

    /// Makes the groups and sets their limits; on failure nothing is left.
    public static void create(CgroupHost.Plan plan) {
        try {
            for (CgroupHost.Group group : plan.groups()) {
                Files.createDirectory(group.directory());
                for (CgroupHost.Setting setting : group.settings()) {
                    Path file = group.directory().resolve(setting.file());
                    if (setting.required() || Files.exists(file)) {
                        write(file, setting.value());
                    }
                }
            }
        } catch (IOException e) {
            remove(plan.groups().stream().map(CgroupHost.Group::directory).toList());
            throw new SandboxException(
                    SandboxException.Code.CGROUP_FAILED,
                    "cannot set the sandbox's limits: " + e,
                    "check that " + e.getMessage() + " is writable",
                    e);
        }
    }

    /// The name of a group of ours: it ends with who made it. A process id means something in its own pid namespace
    /// only, and containers may share the host's groups.
    public static String ownedName(String name, long pid) {
        return name + "-p" + pidNamespace() + "-" + pid;
    }

    private static String pidNamespace() {
        try {
            return Files.readSymbolicLink(Path.of("/proc/self/ns/pid"))
                    .toString()
                    .replaceAll("\\D", "");
        } catch (IOException hidden) {
            return "0";
        }
    }

    /// Removes the groups of processes that died without doing so.
    public static void sweep(CgroupHost host) {
        for (Path parent : host.parentDirectories()) {
            try (Stream<Path> groups = Files.list(parent)) {
                remove(groups.filter(Files::isDirectory)
                        .filter(CgroupFiles::isOrphaned)
                        .toList());
            } catch (IOException _) {
                // Gone meanwhile, and its groups with it.
            }
        }
    }

    private static boolean isOrphaned(Path group) {
        Matcher owner = OWNER.matcher(group.toString());
        if (!owner.find() || ProcessHandle.of(Long.parseLong(owner.group(2))).isPresent()) {
            return false;
        }
        // Without the mark, of an earlier build: only what is empty is surely nobody's.
        return owner.group(1) == null ? isEmpty(group) : owner.group(1).equals(pidNamespace());
    }

    private static boolean isEmpty(Path group) {
        try {
            return Files.readString(group.resolve("cgroup.procs")).isEmpty();
        } catch (IOException unreadable) {
            return false;
        }
    }

    public static void freeze(CgroupHost.Freezer freezer) {
        long deadline = System.nanoTime() + FREEZE_TIME_MAX.toNanos();
        try {
            do {
                // Version 1 may report FREEZING until it is asked again.
                write(freezer.controlFile(), freezer.freeze());
                if (Files.readString(freezer.stateFile()).lines().anyMatch(freezer.frozenMark()::equals)) {
                    return;
                }
            } while (sleepUntil(deadline));
        } catch (IOException e) {
            throw unstill(e.toString());
        }
        throw unstill("it still runs after " + FREEZE_TIME_MAX.toSeconds() + " s");
    }

    public static void thaw(CgroupHost.Freezer freezer) {
        try {
            write(freezer.controlFile(), freezer.thaw());
        } catch (IOException e) {
            throw unstill(e.toString());
        }
    }

    /// Kills whatever is in the groups and removes them. A group that is gone already is fine. Answers whether
    /// all are gone.
    public static boolean remove(List<Path> directories) {
        long deadline = System.nanoTime() + REMOVE_TIME_MAX.toNanos();
        for (Path directory : directories) {
            tryWrite(directory.resolve("cgroup.kill"), "1");
            // A frozen process of version 1 does not die before it is thawed.
            tryWrite(directory.resolve("freezer.state"), "THAWED");
        }
        boolean gone = true;
        for (Path directory : directories) {
            boolean removed = tryRemove(directory);
            while (!removed && sleepUntil(deadline)) {
                killMembers(directory);
                removed = tryRemove(directory);
            }
            gone &= removed;
        }
        return gone;
    }

    private static void killMembers(Path directory) {
        try {
            for (String member : Files.readAllLines(directory.resolve("cgroup.procs"))) {
                ProcessHandle.of(Long.parseLong(member)).ifPresent(ProcessHandle::destroyForcibly);
            }
        } catch (IOException e) {
            // Gone meanwhile: the next attempt to remove the group says so.
            return;
        }
    }

    private static boolean tryRemove(Path directory) {
        try {
            Files.deleteIfExists(directory);
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    private static boolean make(Path directory) {
        try {
            Files.createDirectory(directory);
            return true;
        } catch (FileAlreadyExistsException e) {
            return Files.isWritable(directory);
        } catch (IOException e) {
            return false;
        }
    }

    private static void write(Path file, String value) throws IOException {
        Files.writeString(file, value, StandardOpenOption.WRITE);
    }

    private static boolean tryWrite(Path file, String value) {
        try {
            write(file, value);
            return true;
        } catch (NoSuchFileException e) {
            return false;
        } catch (IOException e) {
            return false;
        }
    }

    private static boolean sleepUntil(long deadlineNanos) {
        if (System.nanoTime() >= deadlineNanos) {
            return false;
        }
        try {
            Thread.sleep(1);
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private static SandboxException unstill(String cause) {
        return new SandboxException(
                SandboxException.Code.FREEZE_FAILED,
                "cannot freeze or thaw the sandbox: " + cause,
                "stop the sandbox instead");
    }

    private static String nameOf(Controller controller) {
        return controller.name().toLowerCase(Locale.ROOT);
    }
}
