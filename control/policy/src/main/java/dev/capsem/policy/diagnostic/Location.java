package dev.capsem.policy.diagnostic;

/// Where in the manifest something stands: one-based line and column, and the RFC 6901 pointer.
public record Location(int line, int column, String pointer) {
    @Override
    public String toString() {
        return line + ":" + column + " " + (pointer.isEmpty() ? "(document)" : pointer);
    }
}
