package dev.capsem.service;

import dev.capsem.profiles.io.ProfileFolders;
import dev.capsem.sandbox.Abilities;
import dev.capsem.sandbox.HostProblem;
import dev.capsem.sandbox.LayerUse;
import dev.capsem.sandbox.MemoryUse;
import dev.capsem.sandbox.RunningSandbox;
import dev.capsem.sandbox.SandboxDriver;
import dev.capsem.sandbox.SandboxHandle;
import dev.capsem.service.limits.ServiceSettings;
import dev.capsem.service.overlay.RuntimeRules;
import dev.capsem.service.profiles.Profiles;
import dev.capsem.service.profiles.SessionPolicy;
import dev.capsem.service.registry.PersistentRegistry;
import dev.capsem.service.registry.SandboxFacts;
import dev.capsem.service.rulecheck.RuleChecker;
import dev.capsem.service.table.Sandbox;
import dev.capsem.service.table.SessionFiles;
import dev.capsem.service.table.SessionLedger;
import dev.capsem.service.watch.DiskWatch;
import dev.capsem.wire.HomeLayout;
import dev.capsem.wire.SandboxId;
import dev.capsem.wire.SandboxSpec;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.function.Predicate;
import java.util.stream.Stream;

/// A home in a temporary directory, with fakes for all that would be a process. Hosts made from it one after
/// another are
/// like services that restart.
public final class FakeHost {
    public static final Instant NOW = Instant.parse("2026-03-04T05:06:07Z");

    private final HomeLayout layout;
    private final SessionPolicy policy;
    private final FakeProcesses processes = new FakeProcesses();
    private final List<String> ledger = new CopyOnWriteArrayList<>();
    private final List<SandboxHandle> cleaned = new CopyOnWriteArrayList<>();
    private final List<HostProblem> problems = new CopyOnWriteArrayList<>();
    private final Map<String, LayerUse> layers = new ConcurrentHashMap<>();
    private final Map<Long, MemoryUse> memory = new ConcurrentHashMap<>();
    private final List<Long> ended = new CopyOnWriteArrayList<>();
    private final Map<String, CountDownLatch> slow = new ConcurrentHashMap<>();

    public FakeHost(Path home) {
        layout = HomeLayout.of(Map.of("CAPSEM_HOME", home.toString()), home, home.resolve("t"));
        RuleChecker checker = new RuleChecker();
        policy = new SessionPolicy(
                new Profiles(
                        ProfileFolders.of(layout.home(), home.resolve("machine"), home.resolve("user")),
                        layout.runDir(),
                        checker,
                        Runnable::run),
                RuntimeRules.open(layout.runDir(), checker));
        List.of(
                        layout.instancesDir(),
                        layout.sessionsDir(),
                        layout.persistentDir(),
                        layout.runDir().resolve("ports"))
                .forEach(SessionFiles::createPrivate);
    }

    public HomeLayout layout() {
        return layout;
    }

    public FakeProcesses processes() {
        return processes;
    }

    /// What was told to the ledger, as short lines.
    public List<String> ledger() {
        return new ArrayList<>(ledger);
    }

    public List<SandboxHandle> cleaned() {
        return new ArrayList<>(cleaned);
    }

    public SandboxDriver driver() {
        return new Driver();
    }

    public void lack(HostProblem problem) {
        problems.add(problem);
    }

    /// From now on the files of that sandbox take so much.
    public void fill(String id, LayerUse use) {
        layers.put(id, use);
    }

    /// From now on a walk through the files of that sandbox takes until somebody counts down.
    public CountDownLatch delay(String id) {
        CountDownLatch latch = new CountDownLatch(1);
        slow.put(id, latch);
        return latch;
    }

    /// From now on that sandbox takes so much memory.
    public void remember(Sandbox sandbox, MemoryUse use) {
        memory.put(DiskWatch.handle(sandbox).pid(), use);
    }

    /// Sandboxes whose largest process was ended, by their pid.
    public List<Long> ended() {
        return List.copyOf(ended);
    }

    public PersistentRegistry registry() {
        return PersistentRegistry.open(layout.registryFile());
    }

    public SandboxEngine open() {
        return open(new ServiceSettings(4, 0, 2, 2_048, 2, 16_384, 512), "boot-1");
    }

    public SandboxEngine open(ServiceSettings settings, String bootId) {
        SandboxEngine host = new SandboxEngine(new SandboxEngine.Surroundings(
                layout,
                layout.home(),
                settings,
                new Driver(),
                registry(),
                new Ledger(),
                processes,
                processes,
                Clock.fixed(NOW, ZoneOffset.UTC),
                new Random(11),
                "0.1.0",
                "tester",
                bootId,
                64 * 1_048_576,
                policy));
        host.open();
        return host;
    }

    /// The profiles of this home, as of its first use.
    public SessionPolicy policy() {
        return policy;
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private final class Ledger implements SessionLedger {
        @Override
        public void created(SandboxFacts facts, Mode mode, Optional<String> command) {
            ledger.add("created " + facts.name() + " " + mode);
        }

        @Override
        public void resumed(SandboxFacts facts) {
            ledger.add("resumed " + facts.name());
        }

        @Override
        public void ended(SandboxId id, Path sessionDir, End end) {
            ledger.add("ended " + id + " " + end);
        }

        @Override
        public void renamed(SandboxId from, SandboxId to) {
            ledger.add("renamed to " + to);
        }
    }

    private final class Driver implements SandboxDriver {
        @Override
        public String name() {
            return "fake";
        }

        @Override
        public Abilities abilities() {
            return new Abilities(
                    Abilities.SuspendMode.FREEZE,
                    Abilities.MemoryLimit.WATCHED,
                    false,
                    true,
                    Abilities.KernelCounts.SHARED_WITH_USER);
        }

        @Override
        public List<HostProblem> hostProblems() {
            return List.copyOf(problems);
        }

        @Override
        public void prepareHost() {}

        @Override
        public RunningSandbox launch(SandboxSpec spec, Path serialLog) {
            throw new IllegalStateException("the service launches nothing itself");
        }

        @Override
        public long copyState(Path sourceSession, Path targetSession) {
            try {
                Path source = sourceSession.resolve("workspace");
                if (Files.isDirectory(source)) {
                    Files.createDirectory(targetSession.resolve("workspace"));
                    try (Stream<Path> files = Files.list(source)) {
                        for (Path file : files.toList()) {
                            Files.copy(file, targetSession.resolve("workspace").resolve(file.getFileName()));
                        }
                    }
                }
                return 123;
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        public LayerUse layersOf(Path sessionDir, SandboxHandle handle, Predicate<LayerUse> isEnough) {
            String id = sessionDir.getFileName().toString();
            Optional.ofNullable(slow.get(id)).ifPresent(FakeHost::await);
            return layers.getOrDefault(id, LayerUse.NOTHING);
        }

        @Override
        public MemoryUse memoryOf(SandboxHandle handle) {
            return memory.getOrDefault(handle.pid(), new MemoryUse(0, OptionalLong.empty()));
        }

        @Override
        public boolean endLargest(SandboxHandle handle, MemoryUse measured) {
            return ended.add(handle.pid());
        }

        @Override
        public long writtenBy(SandboxHandle handle) {
            return 0;
        }

        @Override
        public void cleanUp(SandboxHandle handle) {
            cleaned.add(handle);
        }

        @Override
        public void endAbandoned(Path below) {
            // Nothing is ever half made here.
        }

        @Override
        public void removeSession(Path sessionDir) {
            try (Stream<Path> files = Files.walk(sessionDir)) {
                files.sorted(Comparator.reverseOrder()).forEach(SessionFiles::deleteQuietly);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
