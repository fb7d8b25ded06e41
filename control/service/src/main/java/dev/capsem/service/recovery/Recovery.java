package dev.capsem.service.recovery;

import dev.capsem.service.processes.Instances;
import dev.capsem.service.processes.ProcessConnection;
import dev.capsem.service.processes.ProcessConnector;
import dev.capsem.service.processes.ProcessStarter;
import dev.capsem.service.processes.SpareProcesses;
import dev.capsem.service.registry.PersistentRegistry;
import dev.capsem.service.registry.SandboxFacts;
import dev.capsem.service.table.Instance;
import dev.capsem.service.table.Sandbox;
import dev.capsem.service.table.SandboxTable;
import dev.capsem.service.table.SessionFiles;
import dev.capsem.service.table.Status;
import dev.capsem.wire.HomeLayout;
import dev.capsem.wire.SandboxId;
import dev.capsem.wire.SandboxSpec;
import dev.capsem.wire.io.IpcException;
import dev.capsem.wire.ipc.ProcessMessage;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Finds out what an earlier service left: adopts what lives, buries what does not. Also the regular look at
/// whether everything that should live does.
public final class Recovery {
    private static final Logger LOG = LoggerFactory.getLogger(Recovery.class);
    /// A process that does not answer is ended, with its sandbox: a loaded host gets the time to answer.
    private static final Duration ANSWER_MAX = Duration.ofSeconds(10);

    private final HomeLayout layout;
    private final PersistentRegistry registry;
    private final SandboxTable table;
    private final Instances instances;
    private final SpareProcesses spares;
    private final SessionCleanup cleanup;
    private final ProcessConnector connector;
    private final ProcessStarter starter;
    private final String version;

    public Recovery(
            HomeLayout layout,
            PersistentRegistry registry,
            SandboxTable table,
            Instances instances,
            SpareProcesses spares,
            SessionCleanup cleanup,
            ProcessConnector connector,
            ProcessStarter starter,
            String version) {
        this.layout = layout;
        this.registry = registry;
        this.table = table;
        this.instances = instances;
        this.spares = spares;
        this.cleanup = cleanup;
        this.connector = connector;
        this.starter = starter;
        this.version = version;
    }

    /// Once, before the first request.
    public void atStart() {
        for (SandboxFacts facts : List.copyOf(registry.all())) {
            persistent(facts);
        }
        for (Path directory : SessionFiles.children(layout.sessionsDir())) {
            if (Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS) && !SessionCleanup.isFailed(directory)) {
                temporary(directory);
            }
        }
        strangers();
        strayRuntimeDirs();
        cleanup.emptyTrash();
    }

    private void persistent(SandboxFacts facts) {
        if (!Files.isDirectory(facts.sessionDir(), LinkOption.NOFOLLOW_LINKS)) {
            LOG.warn("{} has lost its directory {} and is forgotten", facts.name(), facts.sessionDir());
            registry.remove(facts.name());
            return;
        }
        Optional<Instance> left = SessionFiles.readInstance(facts.sessionDir());
        if (left.isEmpty()) {
            table.adopt(Sandbox.registered(facts));
            return;
        }
        Optional<Sandbox> alive = adopt(facts, true, left.get());
        if (alive.isPresent()) {
            table.adopt(alive.get());
        } else if (instances.isOfThisBoot(left.get())) {
            cleanup.bury(new Sandbox(facts, true, Status.RUNNING, left));
            table.adopt(Sandbox.registered(registry.find(facts.name()).orElse(facts)));
        } else {
            afterReboot(facts, left.get());
        }
    }

    /// A reboot is nobody's crash: the sandbox is stopped and can be started from disk.
    private void afterReboot(SandboxFacts facts, Instance gone) {
        instances.release(facts.sessionDir(), gone);
        SandboxFacts stopped = facts.withSuspended(false);
        registry.put(stopped);
        table.adopt(Sandbox.registered(stopped));
    }

    private void temporary(Path directory) {
        String name = directory.getFileName().toString();
        Optional<Instance> left = SessionFiles.readInstance(directory);
        Optional<SandboxFacts> facts = left.flatMap(instance -> temporaryFacts(directory, instance));
        if (left.isEmpty() || facts.isEmpty()) {
            // It died while it was being made.
            if (SandboxId.isValid(name)) {
                cleanup.keepFailed(new SandboxId(name), directory);
            }
            return;
        }
        adopt(facts.get(), false, left.get())
                .ifPresentOrElse(
                        table::adopt, () -> cleanup.bury(new Sandbox(facts.get(), false, Status.RUNNING, left)));
    }

    private Optional<SandboxFacts> temporaryFacts(Path directory, Instance instance) {
        return SessionFiles.readSpec(directory).map(spec -> facts(spec, directory, instance));
    }

    private SandboxFacts facts(SandboxSpec spec, Path directory, Instance instance) {
        return new SandboxFacts(
                spec.id(),
                spec.limits(),
                version,
                instance.startedAt(),
                directory,
                Optional.empty(),
                Optional.empty(),
                false,
                Optional.empty(),
                spec.environment(),
                spec.project(),
                spec.view(),
                spec.profileId());
    }

    /// The sandbox as its live process describes it; a process that lives but does not answer is ended.
    private Optional<Sandbox> adopt(SandboxFacts facts, boolean persistent, Instance instance) {
        Optional<ProcessStarter.Child> child = instances.child(instance).filter(ProcessStarter.Child::isAlive);
        if (child.isEmpty()) {
            return Optional.empty();
        }
        // A service that died in the middle of a move left the socket's old name.
        for (Path socket : List.of(instance.socket(), layout.instanceSocket(facts.name()))) {
            Optional<ProcessMessage.Status> status = ask(socket);
            if (status.flatMap(ProcessMessage.Status::sandbox).isPresent()) {
                cleanup.watch(child.get(), instance.pid());
                boolean suspended = status.get().state().equals(Status.SUSPENDED.wireName());
                LOG.info("adopted {} (process {})", facts.name(), instance.pid());
                return Optional.of(Sandbox.at(facts.withSuspended(suspended), persistent, Status.RUNNING)
                        .live(suspended ? Status.SUSPENDED : Status.RUNNING, instance.withSocket(socket)));
            }
        }
        LOG.warn("process {} of {} does not answer and is ended", instance.pid(), facts.name());
        child.get().kill();
        instances.awaitEnd(instance);
        return Optional.empty();
    }

    private Optional<ProcessMessage.Status> ask(Path socket) {
        try (ProcessConnection connection = connector.open(socket, ANSWER_MAX)) {
            return Instances.status(connection);
        } catch (IpcException e) {
            return Optional.empty();
        }
    }

    /// Sockets that belong to nobody we know: spares of an earlier service, and what dead processes left.
    public void strangers() {
        Set<Path> known = new HashSet<>();
        table.all().forEach(sandbox -> known.add(layout.instanceSocket(sandbox.id())));
        Stream.of(layout.instancesDir(), layout.shortDir())
                .flatMap(directory -> SessionFiles.children(directory).stream())
                .filter(path -> path.getFileName().toString().endsWith(".sock"))
                .filter(path -> !known.contains(path) && !path.equals(layout.serviceSocket()))
                .filter(path -> !spares.isKnown(path))
                .forEach(this::stranger);
        strayLogs();
    }

    private void stranger(Path socket) {
        try (ProcessConnection connection = connector.open(socket, ANSWER_MAX)) {
            Optional<ProcessStarter.Child> child = starter.find(connection.pid());
            Optional<ProcessMessage.Status> status = Instances.status(connection);
            if (child.isEmpty() || status.isEmpty()) {
                return;
            }
            if (status.get().state().equals("Spare")) {
                spares.offer(child.get(), socket);
            } else {
                // Its session directory is gone or belongs to another: nobody could ever reach it again.
                LOG.warn("stopping process {}: its sandbox is not registered", connection.pid());
                child.get().kill();
                SessionFiles.deleteQuietly(socket);
                SessionFiles.deleteQuietly(Instances.readyFile(socket));
            }
        } catch (IpcException e) {
            if (e.code() == IpcException.Code.UNREACHABLE) {
                SessionFiles.deleteQuietly(socket);
                SessionFiles.deleteQuietly(Instances.readyFile(socket));
            }
        }
    }

    /// What spares said that never became a sandbox.
    private void strayLogs() {
        SessionFiles.children(layout.instancesDir()).stream()
                .filter(path -> path.getFileName().toString().endsWith(".log"))
                .filter(path -> !spares.isKnown(SpareProcesses.socketOf(path)))
                .forEach(SessionFiles::deleteQuietly);
    }

    private void strayRuntimeDirs() {
        Set<Path> used = new HashSet<>();
        table.all().forEach(sandbox -> sandbox.instance().ifPresent(instance -> used.add(instance.runtimeDir())));
        SessionFiles.children(layout.shortDir()).stream()
                .filter(path -> Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS))
                .filter(path -> !used.contains(path))
                .forEach(SessionFiles::deleteRuntimeDir);
    }

    /// Regularly: does everything live that should?
    public void sweep() {
        for (Sandbox sandbox : table.all()) {
            sandbox.instance()
                    .filter(_ -> sandbox.status() != Status.STARTING)
                    .filter(instance -> instances
                            .child(instance)
                            .filter(ProcessStarter.Child::isAlive)
                            .isEmpty())
                    .ifPresent(instance -> cleanup.processEnded(instance.pid()));
        }
        strangers();
        instances.endAbandoned();
        spares.refill();
    }
}
