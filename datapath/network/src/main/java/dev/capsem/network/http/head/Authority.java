package dev.capsem.network.http.head;

import dev.capsem.network.address.AddressLiterals;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;

/// The `host[:port]` of a Host header, an `:authority` or a CONNECT.
///
/// @param host in the one spelling that is compared: lower case, no trailing dot, no brackets
public record Authority(String host, OptionalInt port) {
    private static final int HOST_LENGTH_MAX = 253;

    /// Empty if it is not one. User information is not accepted: it only serves to deceive readers.
    public static Optional<Authority> parse(String text) {
        int colon = text.startsWith("[") ? text.indexOf(':', text.indexOf(']') + 1) : text.indexOf(':');
        String name = colon < 0 ? text : text.substring(0, colon);
        OptionalInt port = OptionalInt.empty();
        if (colon >= 0) {
            port = port(text.substring(colon + 1));
            if (port.isEmpty()) {
                return Optional.empty();
            }
        }
        OptionalInt given = port;
        return host(name).map(host -> new Authority(host, given));
    }

    /// Empty if it is not a valid name or IP address. Odd spellings (`127.1`, `0177.0.0.1`) are
    /// refused, since a rule would not know them again.
    public static Optional<String> host(String text) {
        if (text.startsWith("[") && text.endsWith("]")) {
            String inner = text.substring(1, text.length() - 1);
            // A zone is a name of the sender's own interfaces: nobody else can read it.
            return inner.indexOf(':') >= 0 && inner.indexOf('%') < 0
                    ? AddressLiterals.parse(inner).map(address -> inner.toLowerCase(Locale.ROOT))
                    : Optional.empty();
        }
        String lower = text.toLowerCase(Locale.ROOT);
        String host = lower.length() > 1 && lower.endsWith(".") ? lower.substring(0, lower.length() - 1) : lower;
        if (host.isEmpty() || host.length() > HOST_LENGTH_MAX || !hasHostCharactersOnly(host)) {
            return Optional.empty();
        }
        boolean isNumeric = isNumeric(host);
        boolean isUsual = !isNumeric
                || AddressLiterals.parse(host)
                        .filter(address -> address.getHostAddress().equals(host))
                        .isPresent();
        boolean hasEmptyLabel = host.startsWith(".") || host.contains("..") || host.endsWith(".");
        return isUsual && !hasEmptyLabel ? Optional.of(host) : Optional.empty();
    }

    private static OptionalInt port(String text) {
        boolean isNumber = !text.isEmpty() && text.length() <= 5 && text.chars().allMatch(c -> c >= '0' && c <= '9');
        int port = isNumber ? Integer.parseInt(text) : 0;
        return port >= 1 && port <= 65_535 ? OptionalInt.of(port) : OptionalInt.empty();
    }

    private static boolean hasHostCharactersOnly(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.')) {
                return false;
            }
        }
        return true;
    }

    private static boolean isNumeric(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if ((c < '0' || c > '9') && c != '.') {
                return false;
            }
        }
        return true;
    }
}
