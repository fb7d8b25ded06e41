package dev.capsem.events.address;

import java.util.Locale;

/// The one spelling of a host name that rules compare with.
public final class HostNames {
    private static final int LENGTH_MAX = 253;

    private HostNames() {}

    public static String normalize(String name) {
        String lower = name.toLowerCase(Locale.ROOT);
        return lower.length() > 1 && lower.endsWith(".") ? lower.substring(0, lower.length() - 1) : lower;
    }

    /// A name or an address, loosely: what may stand between `://` and the path.
    public static boolean isHost(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (!isLabelCharacter(c) && c != '.' && c != ':') {
                return false;
            }
        }
        return !text.isEmpty() && text.length() <= LENGTH_MAX;
    }

    public static String classify(String qname) {
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
