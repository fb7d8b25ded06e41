package dev.capsem.events.security;

import java.util.Locale;

/// The one spelling of a host name that rules compare with.
final class HostNames {
    private static final int LENGTH_MAX = 253;

    private HostNames() {}

    static String normalize(String name) {
        String lower = name.toLowerCase(Locale.ROOT);
        return lower.length() > 1 && lower.endsWith(".") ? lower.substring(0, lower.length() - 1) : lower;
    }

    /// A name or an address, loosely: what may stand between `://` and the path.
    static boolean isHost(String text) {
        return !text.isEmpty()
                && text.length() <= LENGTH_MAX
                && text.chars().allMatch(c -> isLabelCharacter(c) || c == '.' || c == ':');
    }

    static String classify(String qname) {
        if (!isQueryName(qname)) {
            return "invalid";
        }
        if (isAddress(qname) || qname.endsWith(".in-addr.arpa") || qname.endsWith(".ip6.arpa")) {
            return "address";
        }
        boolean local = qname.indexOf('.') < 0
                || qname.endsWith(".local")
                || qname.endsWith(".localhost")
                || qname.endsWith(".internal")
                || qname.endsWith(".lan")
                || qname.endsWith(".home.arpa");
        return local ? "local" : "external";
    }

    private static boolean isQueryName(String text) {
        if (text.isEmpty() || text.length() > LENGTH_MAX) {
            return false;
        }
        for (String label : text.split("\\.", -1)) {
            if (label.isEmpty() || label.length() > 63 || !label.chars().allMatch(HostNames::isLabelCharacter)) {
                return false;
            }
        }
        return true;
    }

    private static boolean isAddress(String text) {
        return text.chars().allMatch(c -> (c >= '0' && c <= '9') || c == '.');
    }

    private static boolean isLabelCharacter(int c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
    }
}
