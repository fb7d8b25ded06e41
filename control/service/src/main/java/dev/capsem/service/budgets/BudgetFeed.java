package dev.capsem.service.budgets;

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
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// One open connection to every running sandbox, over which its calls ask for room in budgets. A lost one is opened
/// again for as long as the sandbox lives; until then its process refuses what budgets count.
public final class BudgetFeed implements SandboxChanges.Listener {
    private static final Logger LOG = LoggerFactory.getLogger(BudgetFeed.class);
    private static final Duration AGAIN_AFTER = Duration.ofMillis(250);
    private static final Duration SWEEP_EVERY = Duration.ofSeconds(5);
    /// An hour of sandboxes leaves no more than some thousands of rows.
    private static final int SWEEPS_BETWEEN_FORGETTING = 720;
    private static final Set<String> BEGINNINGS = Set.of("created", "resumed", "persisted");

    private final Sandboxes sandboxes;
    private final ProcessConnector connector;
    private final TaskScope background;
    private final BudgetBook book;

    /// The processes that are attended, by pid.
    private final Set<Long> attended = ConcurrentHashMap.newKeySet();

    public BudgetFeed(Sandboxes sandboxes, ProcessConnector connector, TaskScope background, BudgetBook book) {
        this.sandboxes = sandboxes;
        this.connector = connector;
        this.background = background;
        this.book = book;
    }

    /// Follows what becomes of sandboxes from now on, and attends those that run.
    public void begin(SandboxChanges changes) {
        changes.add(this);
        sandboxes.all().stream().filter(sandbox -> sandbox.status().isLive()).forEach(this::attend);
        background.start(this::sweep);
    }

    private void sweep() {
        try {
            for (int sweep = 0; true; sweep++) {
                if (sweep % SWEEPS_BETWEEN_FORGETTING == 0) {
                    book.forgetGone(sandboxes::all);
                }
                Thread.sleep(SWEEP_EVERY);
                book.expire();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void happened(Sandbox sandbox, String what) {
        if (BEGINNINGS.contains(what)) {
            attend(sandbox);
        }
    }

    /// Connects before it returns: a call that follows at once must find somebody to ask.
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
                link.send(new ServiceMessage.KeepBudgets());
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
                    listen(alive.get(), pid, link.get());
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

    private void listen(Sandbox sandbox, long pid, ProcessConnection link) {
        Set<String> open = new HashSet<>();
        try (link) {
            var message = link.receive(ProcessMessage.BudgetMessage.class);
            while (message.isPresent()) {
                switch (message.get()) {
                    case ProcessMessage.Reserve wish -> {
                        ServiceMessage.BudgetReply reply =
                                book.reserve(alive(pid).orElse(sandbox), wish);
                        if (reply instanceof ServiceMessage.BudgetGranted) {
                            open.add(wish.id());
                        }
                        link.send(reply);
                    }
                    case ProcessMessage.Took took -> {
                        open.add(took.id());
                        book.taken(took.id());
                    }
                    case ProcessMessage.Settle settle -> {
                        book.settle(alive(pid).orElse(sandbox), settle);
                        open.remove(settle.id());
                        link.send(new ServiceMessage.BudgetNoted(settle.id()));
                    }
                    case ProcessMessage.Unspent unspent -> {
                        book.release(unspent.id());
                        open.remove(unspent.id());
                        link.send(new ServiceMessage.BudgetNoted(unspent.id()));
                    }
                }
                message = link.receive(ProcessMessage.BudgetMessage.class);
            }
        } catch (IpcException e) {
            LOG.debug("{}: the connection for budgets was lost", sandbox.id(), e);
        } finally {
            book.orphaned(open);
        }
    }
}
