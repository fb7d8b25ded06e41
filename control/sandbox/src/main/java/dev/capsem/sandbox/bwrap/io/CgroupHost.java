package dev.capsem.sandbox.bwrap.io;

import dev.capsem.wire.SandboxSpec.Limits;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// Which cgroups this host grants us, and what a sandbox's share of them looks like. Pure: `CgroupFiles`
/// finds and writes.
public sealed interface CgroupHost {
    enum Controller {
        MEMORY,
        PIDS,
        CPU,
        FREEZER
    }

    /// The kernel's default period; a quota is so many of these microseconds per CPU.
    int CPU_PERIOD_MICROS = 100_000;
    /// bwrap, the agent and what it forks for itself do not count against the guest.
    int OWN_PIDS = 16;

    boolean grants(Controller controller);

    /// Where the groups of all sandboxes are.
    Collection<Path> parentDirectories();

    /// The groups of one sandbox.
    ///
    /// @param name unique on this host
    Plan plan(String name, Limits limits);

    /// Nothing: limits fall back to rlimits, freezing to stop signals.
    record None() implements CgroupHost {
        @Override
        public Collection<Path> parentDirectories() {
            return List.of();
        }

        @Override
        public boolean grants(Controller controller) {
            return false;
        }

        @Override
        public Plan plan(String name, Limits limits) {
            return new Plan(List.of(), Optional.empty());
        }
    }

    /// One hierarchy per controller.
    ///
    /// @param parents our own directory in each hierarchy
    record Version1(Map<Controller, Path> parents) implements CgroupHost {
        public Version1 {
            parents = Map.copyOf(parents);
        }

        @Override
        public Collection<Path> parentDirectories() {
            return parents.values();
        }

        @Override
        public boolean grants(Controller controller) {
            return parents.containsKey(controller);
        }

        @Override
        public Plan plan(String name, Limits limits) {
            List<Group> groups = new ArrayList<>();
            for (Controller controller : Controller.values()) {
                Path parent = parents.get(controller);
                if (parent != null) {
                    groups.add(new Group(parent.resolve(name), settings(controller, limits)));
                }
            }
            return new Plan(
                    groups,
                    Optional.ofNullable(parents.get(Controller.FREEZER))
                            .map(parent -> Freezer.version1(parent.resolve(name))));
        }

        private static List<Setting> settings(Controller controller, Limits limits) {
            return switch (controller) {
                case MEMORY ->
                    List.of(
                            Setting.required("memory.limit_in_bytes", bytes(limits)),
                            Setting.ifThere("memory.memsw.limit_in_bytes", bytes(limits)));
                case PIDS -> List.of(Setting.required("pids.max", limits.pidsMax() + OWN_PIDS));
                case CPU ->
                    List.of(
                            Setting.required("cpu.cfs_period_us", CPU_PERIOD_MICROS),
                            Setting.required("cpu.cfs_quota_us", (long) limits.cpus() * CPU_PERIOD_MICROS));
                case FREEZER -> List.of();
            };
        }
    }

    /// One hierarchy for all.
    ///
    /// @param parent our own directory, with its controllers enabled for those below
    record Version2(Path parent, Set<Controller> controllers) implements CgroupHost {
        public Version2 {
            controllers = Set.copyOf(controllers);
        }

        @Override
        public Collection<Path> parentDirectories() {
            return List.of(parent);
        }

        @Override
        public boolean grants(Controller controller) {
            return controllers.contains(controller);
        }

        @Override
        public Plan plan(String name, Limits limits) {
            List<Setting> settings = new ArrayList<>();
            if (grants(Controller.MEMORY)) {
                settings.add(Setting.required("memory.max", bytes(limits)));
                settings.add(Setting.ifThere("memory.swap.max", 0));
            }
            if (grants(Controller.PIDS)) {
                settings.add(Setting.required("pids.max", limits.pidsMax() + OWN_PIDS));
            }
            if (grants(Controller.CPU)) {
                settings.add(new Setting(
                        "cpu.max", (long) limits.cpus() * CPU_PERIOD_MICROS + " " + CPU_PERIOD_MICROS, true));
            }
            Path directory = parent.resolve(name);
            return new Plan(
                    List.of(new Group(directory, settings)),
                    grants(Controller.FREEZER) ? Optional.of(Freezer.version2(directory)) : Optional.empty());
        }
    }

    private static long bytes(Limits limits) {
        return limits.memoryMb() * 1024L * 1024L;
    }

    /// The share of one sandbox.
    record Plan(List<Group> groups, Optional<Freezer> freezer) {
        public Plan {
            groups = List.copyOf(groups);
        }

        /// The files that the launcher writes its pid to.
        public List<Path> joinFiles() {
            return groups.stream()
                    .map(group -> group.directory().resolve("cgroup.procs"))
                    .toList();
        }
    }

    record Group(Path directory, List<Setting> settings) {
        public Group {
            settings = List.copyOf(settings);
        }
    }

    /// @param required whether a kernel without this file is a failure
    record Setting(String file, String value, boolean required) {
        static Setting required(String file, long value) {
            return new Setting(file, Long.toString(value), true);
        }

        static Setting ifThere(String file, long value) {
            return new Setting(file, Long.toString(value), false);
        }
    }

    /// @param stateFile holds `frozenMark` once nothing runs
    record Freezer(Path controlFile, String freeze, String thaw, Path stateFile, String frozenMark) {
        static Freezer version1(Path directory) {
            Path state = directory.resolve("freezer.state");
            return new Freezer(state, "FROZEN", "THAWED", state, "FROZEN");
        }

        static Freezer version2(Path directory) {
            return new Freezer(
                    directory.resolve("cgroup.freeze"), "1", "0", directory.resolve("cgroup.events"), "frozen 1");
        }
    }
}
