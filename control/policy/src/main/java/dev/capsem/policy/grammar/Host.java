package dev.capsem.policy.grammar;

import dev.capsem.policy.diagnostic.Code;
import dev.capsem.policy.diagnostic.CompilationError;
import java.util.Arrays;
import java.util.Locale;
import java.util.regex.Pattern;

/// The peer of a net capability: any host, a name, every name below a domain, or an IP address.
///
/// Hosts end up in proxy configurations, so nothing but these shapes is accepted. A name whose last label is a
/// number is refused too: resolvers read `127.1` or `0x7f.1` as addresses that no filter would recognise.
public record Host(String text) {
    private static final Pattern LABEL = Pattern.compile("[A-Za-z0-9_]([A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?");
    private static final Pattern NUMERIC = Pattern.compile("[0-9]+|0[xX][0-9A-Fa-f]*");
    private static final int NAME_LENGTH_MAX = 253;

    /// The four things a host can be; every adapter switches over it.
    public enum Form {
        ANY,
        NAME,
        SUBDOMAINS,
        IPV4,
        IPV6
    }

    public Host {
        if (text.isEmpty()) {
            throw new CompilationError(Code.CAP_SCOPE_EMPTY, "the host is empty; name a host, or '*' for any");
        }
        boolean known = text.equals("*")
                || isIpv4(text)
                || isIpv6(text)
                || isName(text.startsWith("*.") ? text.substring(2) : text);
        if (!known) {
            throw new CompilationError(
                    Code.CAP_NET_HOST,
                    "'" + text + "' is not a host; use a name, '*.' and a name, an IP address (IPv6 in quotes) or '*'");
        }
    }

    public Form form() {
        if (text.equals("*")) {
            return Form.ANY;
        }
        if (text.startsWith("*.")) {
            return Form.SUBDOMAINS;
        }
        if (text.indexOf(':') >= 0) {
            return Form.IPV6;
        }
        return isIpv4(text) ? Form.IPV4 : Form.NAME;
    }

    public boolean isAddress() {
        Form form = form();
        return form == Form.IPV4 || form == Form.IPV6;
    }

    /// Whether private ranges stay closed for this rule: always, unless the host itself names a private address.
    public boolean blockPrivate() {
        String lower = text.toLowerCase(Locale.ROOT);
        if (lower.equals("localhost") || lower.equals("::1")) {
            return false;
        }
        return form() != Form.IPV4 || !isPrivate(octets(text));
    }

    /// Whether every host this one names is also named by `outer`.
    public boolean isCoveredBy(Host outer) {
        return switch (outer.form()) {
            case ANY -> true;
            case SUBDOMAINS ->
                !isAddress()
                        && form() != Form.ANY
                        && lower().endsWith(outer.lower().substring(1));
            case NAME, IPV4, IPV6 -> lower().equals(outer.lower());
        };
    }

    public String lower() {
        return text.toLowerCase(Locale.ROOT);
    }

    private static boolean isPrivate(int[] octets) {
        return octets[0] == 10
                || octets[0] == 127
                || (octets[0] == 192 && octets[1] == 168)
                || (octets[0] == 172 && octets[1] >= 16 && octets[1] <= 31);
    }

    private static int[] octets(String text) {
        return Arrays.stream(text.split("\\.", -1)).mapToInt(Integer::parseInt).toArray();
    }

    private static boolean isIpv4(String text) {
        String[] parts = text.split("\\.", -1);
        if (parts.length != 4) {
            return false;
        }
        // A leading zero means octal to some resolvers and decimal to others.
        return Arrays.stream(parts)
                .allMatch(part -> part.length() <= 3
                        && part.chars().allMatch(c -> c >= '0' && c <= '9')
                        && !part.isEmpty()
                        && (part.length() == 1 || part.charAt(0) != '0')
                        && Integer.parseInt(part) <= 255);
    }

    private static boolean isIpv6(String text) {
        int gap = text.indexOf("::");
        if (gap >= 0 && text.indexOf("::", gap + 1) >= 0) {
            return false;
        }
        String[] left = groups(gap < 0 ? text : text.substring(0, gap));
        String[] right = groups(gap < 0 ? "" : text.substring(gap + 2));
        int count = left.length + right.length;
        boolean countFits = gap < 0 ? count == 8 : count <= 7;
        return countFits && areHex(left) && areHex(right);
    }

    private static String[] groups(String text) {
        return text.isEmpty() ? new String[0] : text.split(":", -1);
    }

    private static boolean areHex(String[] groups) {
        return Arrays.stream(groups)
                .allMatch(group -> !group.isEmpty()
                        && group.length() <= 4
                        && group.chars().allMatch(c -> c < 0x80 && Character.digit(c, 16) >= 0));
    }

    private static boolean isName(String text) {
        if (text.length() > NAME_LENGTH_MAX) {
            return false;
        }
        String[] labels = text.split("\\.", -1);
        return Arrays.stream(labels).allMatch(label -> LABEL.matcher(label).matches())
                && !NUMERIC.matcher(labels[labels.length - 1]).matches();
    }

    @Override
    public String toString() {
        return text;
    }
}
