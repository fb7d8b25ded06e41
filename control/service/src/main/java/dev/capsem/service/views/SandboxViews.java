package dev.capsem.service.views;

import dev.capsem.sandbox.LayerUse;
import dev.capsem.service.problem.ServiceProblem;
import dev.capsem.service.processes.Instances;
import dev.capsem.service.registry.SandboxFacts;
import dev.capsem.service.sandboxes.Sandboxes;
import dev.capsem.service.sandboxes.TaskResult;
import dev.capsem.service.table.Activities;
import dev.capsem.service.table.Activity;
import dev.capsem.service.table.Instance;
import dev.capsem.service.table.Sandbox;
import dev.capsem.service.table.Status;
import dev.capsem.service.watch.DiskWatch;
import dev.capsem.wire.io.TaskScope;
import dev.capsem.wire.ipc.ProcessMessage;
import dev.capsem.wire.service.SandboxSummary;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Clock;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Sandboxes as `/list` and `/info` show them: what we know, and what their processes say of themselves now.
public final class SandboxViews {
    private final Sandboxes sandboxes;
    private final Instances instances;
    private final Activities activities;
    private final DiskWatch disk;
    private final Clock clock;
    private final String userId;

    public SandboxViews(
            Sandboxes sandboxes,
            Instances instances,
            Activities activities,
            DiskWatch disk,
            Clock clock,
            String userId) {
        this.sandboxes = sandboxes;
        this.instances = instances;
        this.activities = activities;
        this.disk = disk;
        this.clock = clock;
        this.userId = userId;
    }

    /// Asks all live processes at the same time.
    public List<SandboxSummary> all() {
        try (TaskScope scope = new TaskScope("list", (_, _) -> {})) {
            var asked = sandboxes.all().stream()
                    .map(sandbox -> scope.fork(() -> ifThere(sandbox)))
                    .toList();
            return asked.stream().map(TaskResult::of).flatMap(Optional::stream).toList();
        }
    }

    /// A temporary sandbox may be gone by the time its process is asked.
    private Optional<SandboxSummary> ifThere(Sandbox sandbox) {
        try {
            return Optional.of(of(sandbox, false));
        } catch (ServiceProblem e) {
            return Optional.empty();
        }
    }

    public SandboxSummary of(String id) {
        return of(sandboxes.find(id), true);
    }

    /// The missing parts of all sandboxes' records, together.
    ///
    /// @param droppedEvents that could not be recorded
    /// @param auditOff why programs that start inside are not seen, of the sandboxes where that is so
    public record Gaps(long droppedEvents, List<String> auditOff) {}

    public Gaps gaps() {
        List<ProcessMessage.Status> alive = sandboxes.all().stream()
                .flatMap(sandbox -> sandbox.instance().stream())
                .map(instances::look)
                .filter(Instances.Look.Alive.class::isInstance)
                .map(found -> ((Instances.Look.Alive) found).status())
                .toList();
        return new Gaps(
                alive.stream().mapToLong(ProcessMessage.Status::droppedEvents).sum(),
                alive.stream().flatMap(status -> status.auditProblem().stream()).toList());
    }

    private SandboxSummary of(Sandbox seen, boolean measured) {
        Optional<Instances.Look> look = seen.instance().map(instances::look);
        if (look.isPresent() && look.get() instanceof Instances.Look.Over && sandboxes.settle(seen)) {
            return of(sandboxes.find(seen.id().value()), measured);
        }
        Optional<ProcessMessage.Status> status = look.filter(Instances.Look.Alive.class::isInstance)
                .map(found -> ((Instances.Look.Alive) found).status());
        return summary(seen, status, measured);
    }

    private SandboxSummary summary(Sandbox sandbox, Optional<ProcessMessage.Status> status, boolean measured) {
        SandboxFacts facts = sandbox.facts();
        Activity activity = activities.of(sandbox);
        return new SandboxSummary(
                sandbox.id().value(),
                sandbox.persistent() ? Optional.of(sandbox.id().value()) : Optional.empty(),
                sandbox.instance().map(Instance::pid).orElse(0L),
                sandbox.status().wireName(),
                sandbox.persistent(),
                Optional.of(facts.limits().memoryMb()),
                Optional.of(facts.limits().cpus()),
                Optional.of(facts.version()),
                facts.forkedFrom(),
                facts.description(),
                measured && sandbox.instance().isEmpty()
                        ? size(facts.sessionDir())
                        : disk.useOf(sandbox.id()).map(LayerUse::bytes),
                Optional.of(sandboxes.quotaOf(facts).megabytes()),
                Optional.of(facts.profileId()),
                Optional.of(userId),
                Optional.of(facts.createdAt().truncatedTo(ChronoUnit.SECONDS).toString()),
                sandbox.instance()
                        .map(instance -> Duration.between(instance.startedAt(), clock.instant()))
                        .map(Duration::toSeconds),
                facts.project().map(project -> project.source().toString()),
                activity.command(),
                activity.changes(),
                status.map(SandboxViews::counters).orElse(Map.of()),
                status.flatMap(ProcessMessage.Status::auditProblem),
                sandbox.status() == Status.DEFUNCT
                        ? facts.lastError()
                        : status.flatMap(ProcessMessage.Status::recordProblem));
    }

    private static Map<String, Long> counters(ProcessMessage.Status status) {
        Map<String, Long> counters = new HashMap<>(status.counters());
        counters.put("dropped_events", status.droppedEvents());
        return counters;
    }

    /// Follows no links and skips what it may not read: a guest chose these files.
    private static Optional<Long> size(Path directory) {
        long[] bytes = {0};
        try {
            Files.walkFileTree(directory, new SimpleFileVisitor<>() {
                @Override
                public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                    bytes[0] += attributes.size();
                    return FileVisitResult.CONTINUE;
                }

                @Override
                public FileVisitResult visitFileFailed(Path file, IOException unreadable) {
                    return FileVisitResult.CONTINUE;
                }
            });
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return Optional.of(bytes[0]);
    }
}
