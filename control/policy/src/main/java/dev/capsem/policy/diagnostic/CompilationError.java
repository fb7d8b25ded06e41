package dev.capsem.policy.diagnostic;

import dev.capsem.source.json.JsonValue;
import java.util.List;

/// Compilation failed. Carries every problem found; the first one gives the code, the message and the context.
public final class CompilationError extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final transient List<Problem> problems;

    public CompilationError(List<Problem> problems) {
        super("[" + problems.getFirst().code() + "] " + problems.getFirst().text());
        this.problems = List.copyOf(problems);
    }

    public CompilationError(Problem problem) {
        this(List.of(problem));
    }

    public CompilationError(Code code, String text) {
        this(Problem.of(code, text));
    }

    public Code code() {
        return problems.getFirst().code();
    }

    public JsonValue.Members context() {
        return problems.getFirst().context();
    }

    public List<Problem> problems() {
        return problems;
    }
}
