package dev.capsem.profiles.mcp;

import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/// The name of an MCP server. It becomes the prefix of its tools, so it may hold no `__` and take no name
/// that the endpoint keeps for itself.
public record ServerName(String value) implements Comparable<ServerName> {
    private static final Pattern VALID = Pattern.compile("[a-z0-9][a-z0-9._-]{0,39}");
    private static final Set<String> KEPT = Set.of("builtin", "local", "file");

    public ServerName {
        Optional<String> fault = fault(value);
        if (fault.isPresent()) {
            throw new IllegalArgumentException(fault.get());
        }
    }

    /// Why a text is no server name; empty if it is one.
    public static Optional<String> fault(String text) {
        if (text.isEmpty()) {
            return Optional.of("a server's name is empty");
        }
        if (text.contains("__")) {
            return Optional.of("a server's name holds no __, which stands between server and tool");
        }
        if (KEPT.contains(text)) {
            return Optional.of("the name " + text + " is kept for built-in tools");
        }
        return VALID.matcher(text).matches()
                ? Optional.empty()
                : Optional.of("a server's name has 1 to 40 lower-case letters, digits, . _ and -,"
                        + " the first a letter or digit");
    }

    /// The nearest valid spelling of a name that another program chose, if there is one.
    public static Optional<ServerName> normalize(String foreign) {
        String spelled = foreign.strip()
                .toLowerCase(Locale.ROOT)
                .replaceAll("[^a-z0-9._-]+", "-")
                .replaceAll("_{2,}", "_")
                .replaceAll("^[._-]+", "");
        return fault(spelled).isEmpty() ? Optional.of(new ServerName(spelled)) : Optional.empty();
    }

    @Override
    public int compareTo(ServerName other) {
        return value.compareTo(other.value);
    }

    @Override
    public String toString() {
        return value;
    }
}
