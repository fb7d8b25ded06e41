package dev.capsem.service.table;

import dev.capsem.sandbox.workspace.tree.WorkspaceException;
import dev.capsem.service.registry.SandboxFacts;
import dev.capsem.wire.SandboxId;
import dev.capsem.wire.SandboxSpec;
import dev.capsem.wire.io.TaskScope;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.ToIntFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// What a list shows of sandboxes beside their state: the last command, and how many changes their copies of a project
/// hold. A stopped copy is counted once; a running one each time, because anything in it may write.
public final class Activities {
    private static final Logger LOG = LoggerFactory.getLogger(Activities.class);
    /// A list is not held up by a copy with a million changes: it says nothing of them until they are counted.
    private static final Duration COUNT_WAIT_MAX = Duration.ofMillis(500);
    /// Longer ones are cut: `history` has them whole.
    private static final int COMMAND_LENGTH_MAX = 200;

    private final ToIntFunction<SandboxFacts> counter;
    private final TaskScope background;
    private final Map<Count, Future<Optional<Integer>>> counting = new ConcurrentHashMap<>();
    /// Guards the order of writes to one file.
    private final ReentrantLock writing = new ReentrantLock();

    /// @param isFinal nothing runs in it: the number stays
    private record Count(SandboxId sandbox, boolean isFinal) {}

    /// @param counter compares a copy with its project
    public Activities(ToIntFunction<SandboxFacts> counter, TaskScope background) {
        this.counter = counter;
        this.background = background;
    }

    public void began(Sandbox sandbox, String command) {
        String shown =
                command.length() <= COMMAND_LENGTH_MAX ? command : command.substring(0, COMMAND_LENGTH_MAX - 1) + "…";
        write(sandbox.facts().sessionDir(), new Activity(Optional.of(shown), Optional.empty()));
    }

    /// From now on nobody knows how many changes there are.
    public void changed(SandboxFacts facts) {
        Activity known = SessionFiles.readActivity(facts.sessionDir());
        if (known.changes().isPresent()) {
            write(facts.sessionDir(), known.with(Optional.empty()));
        }
    }

    public Activity of(Sandbox sandbox) {
        SandboxFacts facts = sandbox.facts();
        Activity known = SessionFiles.readActivity(facts.sessionDir());
        if (facts.project().filter(Activities::isCopy).isEmpty()) {
            return known.with(Optional.empty());
        }
        boolean isFinal = !sandbox.status().isLive();
        return isFinal && known.changes().isPresent() ? known : known.with(count(facts, isFinal));
    }

    private static boolean isCopy(SandboxSpec.Project project) {
        return project.access() == SandboxSpec.Project.Access.COPY_ON_WRITE;
    }

    /// A caller that asks while a copy is being counted waits for the same count.
    private Optional<Integer> count(SandboxFacts facts, boolean isFinal) {
        Count key = new Count(facts.name(), isFinal);
        Future<Optional<Integer>> count =
                counting.computeIfAbsent(key, _ -> background.fork(() -> counted(facts, key)));
        try {
            return count.get(COUNT_WAIT_MAX.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException stillCounting) {
            return Optional.empty();
        } catch (ExecutionException e) {
            LOG.warn("the changes of {} could not be counted", facts.name(), e.getCause());
            return Optional.empty();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        }
    }

    private Optional<Integer> counted(SandboxFacts facts, Count key) {
        try {
            Optional<Integer> changes = Optional.of(counter.applyAsInt(facts));
            if (key.isFinal) {
                write(
                        facts.sessionDir(),
                        SessionFiles.readActivity(facts.sessionDir()).with(changes));
            }
            return changes;
        } catch (WorkspaceException unreadable) {
            return Optional.empty();
        } finally {
            counting.remove(key);
        }
    }

    /// For people only: a command is not refused because this could not be written.
    private void write(Path sessionDir, Activity activity) {
        writing.lock();
        try {
            SessionFiles.writeActivity(sessionDir, activity);
        } catch (UncheckedIOException e) {
            LOG.debug("the activity could not be written to {}", sessionDir, e);
        } finally {
            writing.unlock();
        }
    }
}
