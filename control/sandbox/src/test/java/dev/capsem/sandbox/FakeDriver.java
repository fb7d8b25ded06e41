package dev.capsem.sandbox;

import dev.capsem.wire.SandboxSpec;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// Sandboxes that are only remembered: no process, no isolation. For tests of whoever stands above a driver.
public final class FakeDriver implements SandboxDriver {
    private static final int KILLED = 137;
    private static final List<String> STATE = List.of("up", "workspace", "project.manifest");
    private static final Set<PosixFilePermission> OPEN = PosixFilePermissions.fromString("rwx------");

    private final AtomicLong pids = new AtomicLong(100_000);
    private final ConcurrentHashMap<Long, FakeSandbox> running = new ConcurrentHashMap<>();
    private volatile Optional<SandboxException> launchFailure = Optional.empty();

    /// The next launches fail with this.
    public void failLaunches(SandboxException failure) {
        launchFailure = Optional.of(failure);
    }

    public boolean isRunning(SandboxHandle handle) {
        FakeSandbox sandbox = running.get(handle.pid());
        return sandbox != null && sandbox.startTicks == handle.startTicks();
    }

    /// Ends the sandbox as if its agent had.
    public void exit(SandboxHandle handle, int code) {
        FakeSandbox sandbox = running.remove(handle.pid());
        if (sandbox != null) {
            sandbox.exit.complete(code);
        }
    }

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
        return List.of();
    }

    @Override
    public void prepareHost() {}

    @Override
    public RunningSandbox launch(SandboxSpec spec, Path serialLog) {
        launchFailure.ifPresent(failure -> {
            throw failure;
        });
        long pid = pids.incrementAndGet();
        FakeSandbox sandbox = new FakeSandbox(pid, pid * 10);
        running.put(pid, sandbox);
        return sandbox;
    }

    @Override
    public long copyState(Path sourceSession, Path targetSession) {
        long bytes = 0;
        for (String name : STATE) {
            Path source = sourceSession.resolve(name);
            if (Files.exists(source, LinkOption.NOFOLLOW_LINKS)) {
                bytes += copy(source, targetSession.resolve(name));
            }
        }
        return bytes;
    }

    @Override
    public LayerUse layersOf(Path sessionDir, SandboxHandle handle, Predicate<LayerUse> isEnough) {
        return LayerUse.NOTHING;
    }

    @Override
    public MemoryUse memoryOf(SandboxHandle handle) {
        return new MemoryUse(0, OptionalLong.empty());
    }

    @Override
    public boolean endLargest(SandboxHandle handle, MemoryUse measured) {
        return false;
    }

    @Override
    public long writtenBy(SandboxHandle handle) {
        return 0;
    }

    @Override
    public void cleanUp(SandboxHandle handle) {
        if (isRunning(handle)) {
            exit(handle, KILLED);
        }
    }

    @Override
    public void endAbandoned(Path below) {
        // A start is never half made here.
    }

    @Override
    public void removeSession(Path sessionDir) {
        try {
            if (!Files.exists(sessionDir, LinkOption.NOFOLLOW_LINKS)) {
                return;
            }
            Files.walkFileTree(sessionDir, new SimpleFileVisitor<>() {
                @Override
                public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                    Files.delete(file);
                    return FileVisitResult.CONTINUE;
                }

                @Override
                public FileVisitResult visitFileFailed(Path file, IOException failure) throws IOException {
                    // A directory that its owner may not enter: open it and start again from there.
                    if (!Files.isDirectory(file, LinkOption.NOFOLLOW_LINKS)
                            || Files.getPosixFilePermissions(file).containsAll(OPEN)) {
                        throw failure;
                    }
                    Files.setPosixFilePermissions(file, OPEN);
                    removeSession(file);
                    return FileVisitResult.CONTINUE;
                }

                @Override
                public FileVisitResult postVisitDirectory(Path visited, @Nullable IOException failure)
                        throws IOException {
                    Files.delete(visited);
                    return FileVisitResult.CONTINUE;
                }
            });
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static long copy(Path source, Path target) {
        try {
            if (!Files.isDirectory(source, LinkOption.NOFOLLOW_LINKS)) {
                Files.copy(source, target, LinkOption.NOFOLLOW_LINKS, StandardCopyOption.COPY_ATTRIBUTES);
                return Files.isSymbolicLink(source) ? 0 : Files.size(source);
            }
            Set<PosixFilePermission> mode = Files.getPosixFilePermissions(source);
            Files.createDirectory(target);
            Files.setPosixFilePermissions(source, OPEN);
            long bytes = 0;
            List<Path> entries;
            try (var listing = Files.list(source)) {
                entries = listing.toList();
            }
            for (Path entry : entries) {
                bytes += copy(entry, target.resolve(source.relativize(entry)));
            }
            Files.setPosixFilePermissions(source, mode);
            Files.setPosixFilePermissions(target, mode);
            return bytes;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private final class FakeSandbox implements RunningSandbox {
        private final long pid;
        private final long startTicks;
        private final CompletableFuture<Integer> exit = new CompletableFuture<>();

        private FakeSandbox(long pid, long startTicks) {
            this.pid = pid;
            this.startTicks = startTicks;
        }

        @Override
        public SandboxHandle handle() {
            return new SandboxHandle(name(), pid, startTicks, Map.of());
        }

        @Override
        public long pid() {
            return pid;
        }

        @Override
        public void freeze() {}

        @Override
        public void thaw() {}

        @Override
        public void destroy() {
            FakeDriver.this.exit(handle(), KILLED);
        }

        @Override
        public CompletableFuture<Integer> exit() {
            return exit.copy();
        }

        @Override
        public Optional<HostProblem> launchProblem() {
            return Optional.empty();
        }
    }
}
