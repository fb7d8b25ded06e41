package dev.capsem.policy.grammar;

import dev.capsem.fuzz.Property;
import dev.capsem.policy.diagnostic.CompilationError;
import java.net.Inet4Address;
import java.net.Inet6Address;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/// Hosts of capabilities, and whether one covers the other. A line feed stands between the two.
public final class HostFuzz {
    private HostFuzz() {}

    public static void fuzzerTestOneInput(byte[] data) {
        String[] texts = new String(data, StandardCharsets.UTF_8).split("\n", 2);
        Host outer;
        Host inner;
        try {
            outer = new Host(texts[0]);
            inner = new Host(texts.length > 1 ? texts[1] : texts[0]);
        } catch (CompilationError refused) {
            return;
        }
        check(outer);
        check(inner);
        if (inner.isCoveredBy(outer)) {
            covers(outer, inner);
        }
    }

    private static void check(Host host) {
        Property.holds(host.isCoveredBy(host), "a host that does not cover itself: " + host);
        switch (host.form()) {
            case IPV4 -> Property.same(Inet4Address.ofLiteral(host.text()).getHostAddress(), host.text(), "an address");
            case IPV6 -> Property.holds(Inet6Address.ofLiteral(host.text()).getAddress().length > 0, "an address");
            case NAME, SUBDOMAINS ->
                Property.holds(
                        host.text().chars().allMatch(c -> c > 0x20 && c < 0x7f && c != ':' && c != '/' && c != '@'),
                        "a name with odd characters");
            case ANY -> Property.same(host.text(), "*", "any host");
        }
        host.blockPrivate();
    }

    private static void covers(Host outer, Host inner) {
        String name = inner.text().toLowerCase(Locale.ROOT);
        boolean holds = switch (outer.form()) {
            case ANY -> true;
            case SUBDOMAINS -> {
                String domain = outer.text().substring(2).toLowerCase(Locale.ROOT);
                String below = name.startsWith("*.") ? name.substring(2) : name;
                yield below.endsWith("." + domain) || (name.startsWith("*.") && below.equals(domain));
            }
            case NAME, IPV4, IPV6 -> name.equals(outer.text().toLowerCase(Locale.ROOT));
        };
        Property.holds(holds, outer + " covers " + inner);
    }
}
