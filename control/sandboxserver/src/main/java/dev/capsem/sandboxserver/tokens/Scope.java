package dev.capsem.sandboxserver.tokens;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/// The permissions of a token. `ADMIN` allows all the others too; of the rest none includes another.
public enum Scope {
    /// See sandboxes, templates, workspaces, and read files.
    READ,
    /// Run commands and change files.
    EXECUTE,
    /// Create, fork, pause and end sandboxes; templates and workspaces alike.
    LIFECYCLE,
    /// Tokens themselves.
    ADMIN;

    public String wireName() {
        return name().toLowerCase(Locale.ROOT);
    }

    public static Optional<Scope> named(String text) {
        return Arrays.stream(values())
                .filter(scope -> scope.wireName().equals(text))
                .findFirst();
    }
}
