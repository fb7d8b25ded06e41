package dev.capsem.service.approvals;

import dev.capsem.service.problem.ServiceProblem;
import dev.capsem.service.processes.ProcessConnection;
import dev.capsem.service.table.Sandbox;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/// The questions that wait, and the ids of those that are over.
final class QuestionQueue {
    /// Of questions that are over, so many are remembered, to tell "too late" from "never was".
    private static final int OVER_MAX = 1_000;

    private final int capacity;

    /// Guards the two fields below.
    private final Object lock = new Object();

    private final Map<String, OpenQuestion> open = new HashMap<>();

    /// Oldest first.
    private final List<String> over = new ArrayList<>();

    QuestionQueue(int capacity) {
        this.capacity = capacity;
    }

    /// Whether there was room for it.
    boolean offer(OpenQuestion question) {
        synchronized (lock) {
            if (open.size() >= capacity) {
                return false;
            }
            open.put(question.pending().id(), question);
            return true;
        }
    }

    List<OpenQuestion> those(Predicate<OpenQuestion> which) {
        synchronized (lock) {
            return open.values().stream().filter(which).toList();
        }
    }

    /// @param question as its process calls it
    Optional<OpenQuestion> find(ProcessConnection connection, String question) {
        return those(one -> one.connection().equals(connection)
                        && one.pending().question().id().equals(question))
                .stream()
                .findFirst();
    }

    /// Oldest first.
    List<PendingQuestion> unanswered(Predicate<Sandbox> which, Instant now) {
        return those(one -> !one.answer().isDone() && which.test(one.sandbox())).stream()
                .map(OpenQuestion::pending)
                .filter(pending -> pending.deadline().isAfter(now))
                .sorted(Comparator.comparingLong(
                                (PendingQuestion pending) -> pending.question().askedAtMillis())
                        .thenComparing(PendingQuestion::id))
                .toList();
    }

    /// Throws [ServiceProblem] for one that is not there, or over.
    OpenQuestion required(String id, Instant now) {
        synchronized (lock) {
            OpenQuestion found = open.get(id);
            if (found == null && over.contains(id)) {
                throw tooLate(id);
            }
            if (found == null) {
                throw new ServiceProblem(
                        ServiceProblem.Code.QUESTION_NOT_FOUND,
                        "there is no such question",
                        "see which wait: `capsem approvals`");
            }
            if (!found.pending().deadline().isAfter(now)) {
                throw tooLate(id);
            }
            return found;
        }
    }

    /// Whether it had not ended before.
    boolean end(OpenQuestion ended) {
        String id = ended.pending().id();
        synchronized (lock) {
            boolean isFirst = open.remove(id) != null;
            if (isFirst) {
                noteOver(id);
            }
            return isFirst;
        }
    }

    /// Throws [ServiceProblem] when the old one is over already.
    void replace(OpenQuestion old, OpenQuestion again) {
        synchronized (lock) {
            if (!end(old)) {
                throw tooLate(old.pending().id());
            }
            open.put(again.pending().id(), again);
        }
    }

    /// An answer that could not be carried out was none: the question waits on.
    void reopen(OpenQuestion question) {
        synchronized (lock) {
            open.computeIfPresent(question.pending().id(), (_, one) -> one.unanswered());
        }
    }

    /// Requires: the lock.
    private void noteOver(String id) {
        over.add(id);
        if (over.size() > OVER_MAX) {
            over.removeFirst();
        }
    }

    static ServiceProblem tooLate(String id) {
        return new ServiceProblem(
                ServiceProblem.Code.QUESTION_OVER,
                "the question " + id.substring(0, Math.min(id.length(), 64)) + " was answered or is over",
                "see which wait: `capsem approvals`");
    }
}
