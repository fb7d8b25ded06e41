package dev.capsem.wire.aggregator;

import java.util.Optional;

/// How names of many servers live side by side: `server__tool` for tools and prompts, `capsem://server/uri` for
/// resources. Both can be undone: a server's name contains neither `__` nor `/`.
public final class Namespace {
    public static final String SEPARATOR = "__";
    private static final String SCHEME = "capsem://";

    private Namespace() {}

    /// @param original the server's own name for it
    public record Split(String server, String original) {}

    public static String name(String server, String original) {
        return server + SEPARATOR + original;
    }

    public static String uri(String server, String original) {
        return SCHEME + server + "/" + original;
    }

    /// At the first `__`: the server's own name may contain more of them.
    public static Optional<Split> splitName(String namespaced) {
        int at = namespaced.indexOf(SEPARATOR);
        return at <= 0 || at + SEPARATOR.length() == namespaced.length()
                ? Optional.empty()
                : Optional.of(new Split(namespaced.substring(0, at), namespaced.substring(at + SEPARATOR.length())));
    }

    public static Optional<Split> splitUri(String namespaced) {
        if (!namespaced.startsWith(SCHEME)) {
            return Optional.empty();
        }
        int at = namespaced.indexOf('/', SCHEME.length());
        return at <= SCHEME.length() || at + 1 == namespaced.length()
                ? Optional.empty()
                : Optional.of(new Split(namespaced.substring(SCHEME.length(), at), namespaced.substring(at + 1)));
    }
}
