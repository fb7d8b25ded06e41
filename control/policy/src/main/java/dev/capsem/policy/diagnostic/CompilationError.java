package dev.capsem.policy.diagnostic;

import dev.capsem.source.json.JsonValue;
import java.util.List;

/// Compilation failed. Carries every problem found; the first one gives the code, the message and the context.
public final class CompilationError extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final transient List<Diagnostic> problems;

    public CompilationError(List<Diagnostic> problems) {
        super("[" + problems.getFirst().code() + "] " + problems.getFirst().text());
        this.problems = List.copyOf(problems);
    }

    public CompilationError(Diagnostic problem) {
        this(List.of(problem));
    }

    public CompilationError(Code code, String text) {
        this(Diagnostic.of(code, text));
    }

    public Code code() {
        return problems.getFirst().code();
    }

    public JsonValue.Members context() {
        return problems.getFirst().context();
    }

    public List<Diagnostic> problems() {
        return problems;
    }
}
