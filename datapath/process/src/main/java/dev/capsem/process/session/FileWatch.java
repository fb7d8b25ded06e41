package dev.capsem.process.session;

import dev.capsem.process.record.FileEvidence;
import dev.capsem.process.watch.WorkspaceWatch;
import dev.capsem.wire.SandboxSpec;
import dev.capsem.wire.io.TaskScope;
import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Keeps a [WorkspaceWatch] on the session's directories, wherever they are. A host that grants no watch costs file
/// events, counted as a gap; it never costs the sandbox.
public final class FileWatch implements AutoCloseable {
    private final FileEvidence evidence;
    private final InstantSource clock;
    private final AtomicLong gaps = new AtomicLong();
    private volatile @Nullable WorkspaceWatch current;

    public FileWatch(FileEvidence evidence, InstantSource clock) {
        this.evidence = evidence;
        this.clock = clock;
    }

    long gaps() {
        return gaps.get();
    }

    /// Watches the directories of `spec` from now on, off the caller's path.
    public void restart(SandboxSpec spec, TaskScope scope) {
        close();
        scope.start(() -> watch(spec));
    }

    @Override
    public void close() {
        WorkspaceWatch watch = current;
        if (watch != null) {
            watch.close();
        }
    }

    private void watch(SandboxSpec spec) {
        try {
            WorkspaceWatch watch = new WorkspaceWatch(
                    FileSystems.getDefault().newWatchService(), clock, evidence::changed, this::missed);
            current = watch;
            watch.run(trees(spec));
        } catch (IOException e) {
            missed(1);
        }
    }

    private void missed(long count) {
        if (gaps.getAndAdd(count) == 0) {
            log().atWarn().addKeyValue("gaps", count).log("watch.gap");
        }
    }

    private static List<WorkspaceWatch.Tree> trees(SandboxSpec spec) {
        List<WorkspaceWatch.Tree> trees = new ArrayList<>();
        trees.add(new WorkspaceWatch.Tree(spec.sessionDir().resolve("workspace"), "/root", Optional.empty()));
        Path upper = spec.sessionDir().resolve("up").resolve("project");
        spec.project()
                .filter(project -> Files.isDirectory(upper))
                .ifPresent(project -> trees.add(
                        new WorkspaceWatch.Tree(upper, "/root/" + project.name(), Optional.of(project.source()))));
        return trees;
    }

    /// Asked for only when there is something to say: setting up the logging library is slower than starting a sandbox.
    private static Logger log() {
        return LoggerFactory.getLogger(FileWatch.class);
    }
}
