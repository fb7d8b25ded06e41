package dev.capsem.service.approvals;

import dev.capsem.service.problem.ServiceProblem;
import dev.capsem.service.processes.ProcessConnection;
import dev.capsem.service.processes.ProcessConnector;
import dev.capsem.service.sandboxes.Sandboxes;
import dev.capsem.service.table.Instance;
import dev.capsem.service.table.Sandbox;
import dev.capsem.service.table.SandboxChanges;
import dev.capsem.wire.io.IpcException;
import dev.capsem.wire.io.TaskScope;
import dev.capsem.wire.ipc.ProcessMessage;
import dev.capsem.wire.ipc.ServiceMessage;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// One open connection to every running sandbox, over which its questions come. A lost one is opened again for as
/// long as the sandbox lives.
final class QuestionFeed implements SandboxChanges.Listener {
    private static final Logger LOG = LoggerFactory.getLogger(QuestionFeed.class);
    private static final Duration AGAIN_AFTER = Duration.ofMillis(250);
    private static final Set<String> BEGINNINGS = Set.of("created", "resumed", "persisted");

    private final Sandboxes sandboxes;
    private final ProcessConnector connector;
    private final TaskScope background;
    private final Listener listener;

    /// The processes that are attended, by pid.
    private final Set<Long> attended = ConcurrentHashMap.newKeySet();

    /// Hears what comes over a connection, always from that connection's own thread.
    interface Listener {
        void asked(Sandbox sandbox, ProcessConnection link, ProcessMessage.Question question);

        void prepared(ProcessConnection link, ProcessMessage.Prepared prepared);

        void over(ProcessConnection link, ProcessMessage.QuestionOver over);

        /// Nothing more comes over this connection; its process has refused what waited.
        void lost(ProcessConnection link);
    }

    QuestionFeed(Sandboxes sandboxes, ProcessConnector connector, TaskScope background, Listener listener) {
        this.sandboxes = sandboxes;
        this.connector = connector;
        this.background = background;
        this.listener = listener;
    }

    /// For those that are there already.
    void begin() {
        sandboxes.all().stream().filter(sandbox -> sandbox.status().isLive()).forEach(this::attend);
    }

    @Override
    public void happened(Sandbox sandbox, String what) {
        if (BEGINNINGS.contains(what)) {
            attend(sandbox);
        }
    }

    /// Connects before it returns: a command that follows at once must find somebody to ask.
    private void attend(Sandbox sandbox) {
        Optional<Instance> instance = sandbox.instance();
        if (instance.isEmpty()
                || background.isClosed()
                || !attended.add(instance.get().pid())) {
            return;
        }
        Optional<ProcessConnection> first = connect(instance.get());
        background.start(() -> {
            try {
                stay(sandbox, instance.get().pid(), first);
            } finally {
                attended.remove(instance.get().pid());
            }
        });
    }

    private Optional<ProcessConnection> connect(Instance instance) {
        try {
            ProcessConnection link = connector.open(instance.socket());
            try {
                link.send(new ServiceMessage.Attend());
                return Optional.of(link);
            } catch (IpcException e) {
                link.close();
                return Optional.empty();
            }
        } catch (IpcException e) {
            return Optional.empty();
        }
    }

    private void stay(Sandbox sandbox, long pid, Optional<ProcessConnection> first) {
        Optional<ProcessConnection> link = first;
        Optional<Sandbox> alive = Optional.of(sandbox);
        try {
            while (alive.isPresent()) {
                if (link.isPresent()) {
                    listen(alive.get(), link.get());
                }
                Thread.sleep(AGAIN_AFTER);
                alive = alive(pid);
                link = alive.flatMap(Sandbox::instance).flatMap(this::connect);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            link.ifPresent(ProcessConnection::close);
        }
    }

    /// By its process: the sandbox itself may have got another name meanwhile.
    private Optional<Sandbox> alive(long pid) {
        try {
            return sandboxes.all().stream()
                    .filter(sandbox -> sandbox.status().isLive())
                    .filter(sandbox -> sandbox.instance()
                            .filter(instance -> instance.pid() == pid)
                            .isPresent())
                    .findFirst();
        } catch (ServiceProblem e) {
            return Optional.empty();
        }
    }

    private void listen(Sandbox sandbox, ProcessConnection link) {
        try (link) {
            var message = link.receive(ProcessMessage.ApprovalMessage.class);
            while (message.isPresent()) {
                switch (message.get()) {
                    case ProcessMessage.Question question -> listener.asked(sandbox, link, question);
                    case ProcessMessage.Prepared prepared -> listener.prepared(link, prepared);
                    case ProcessMessage.QuestionOver over -> listener.over(link, over);
                }
                message = link.receive(ProcessMessage.ApprovalMessage.class);
            }
        } catch (IpcException e) {
            LOG.debug("{}: the connection for questions was lost", sandbox.id(), e);
        } finally {
            listener.lost(link);
        }
    }
}
