package dev.capsem.process.approve;

import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.stream.Stream;

/// The newest questions that nobody answered. Guarded by the desk's lock.
final class Unanswered {
    private final int max;
    private final Deque<Question> newest = new ArrayDeque<>();

    private record Question(Instant overAt, String line) {}

    Unanswered(int max) {
        this.max = max;
    }

    void add(Instant overAt, String line) {
        newest.addLast(new Question(overAt, line));
        if (newest.size() > max) {
            newest.removeFirst();
        }
    }

    Stream<String> since(Instant since) {
        return newest.stream()
                .filter(question -> !question.overAt.isBefore(since))
                .map(Question::line);
    }
}
