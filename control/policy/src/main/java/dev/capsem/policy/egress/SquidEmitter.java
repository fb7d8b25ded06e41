package dev.capsem.policy.egress;

import dev.capsem.policy.artifact.Notes;
import dev.capsem.policy.ir.Element;
import dev.capsem.policy.ir.Policy;
import java.util.ArrayList;
import java.util.List;

/// Access rules for Squid, to be included in a configuration that sets ports and logs.
public final class SquidEmitter {
    public static final String HEADER =
            "# capgate egress allow list for Squid; include it before any other http_access line";

    private SquidEmitter() {}

    static EgressTarget.Emitted emit(Policy policy, boolean hardened, Notes notes) {
        List<String> lines = new ArrayList<>();
        lines.add(HEADER);
        List<Element.NetRule> rules = policy.net();
        if (hardened) {
            // A declared private address is meant, so it is allowed before its range is closed.
            allowHardened(rules, true, lines, notes);
        }
        if (EgressTarget.blocksPrivate(policy)) {
            lines.add("acl to_private dst " + String.join(" ", EgressTarget.PRIVATE_V4) + " "
                    + String.join(" ", EgressTarget.PRIVATE_V6));
            lines.add("http_access deny to_private");
        }
        if (hardened) {
            allowHardened(rules, false, lines, notes);
        } else {
            for (int i = 0; i < rules.size(); i++) {
                allow(i, rules.get(i), false, lines, notes);
            }
        }
        if (rules.isEmpty()) {
            notes.add("no host is declared: everything is refused");
        }
        lines.add("http_access deny all");
        return new EgressTarget.Emitted(String.join("\n", lines), List.of());
    }

    private static void allowHardened(List<Element.NetRule> rules, boolean isPrivate, List<String> lines, Notes notes) {
        for (int i = 0; i < rules.size(); i++) {
            if (rules.get(i).blockPrivate() != isPrivate) {
                allow(i, rules.get(i), true, lines, notes);
            }
        }
    }

    private static void allow(int i, Element.NetRule rule, boolean hardened, List<String> lines, Notes notes) {
        lines.add("acl cg_dst_" + i + " " + destination(rule, hardened, notes));
        String port = "";
        if (rule.port().isPresent()) {
            lines.add("acl cg_port_" + i + " port " + rule.port().getAsInt());
            port = " cg_port_" + i;
        } else {
            notes.add("'" + rule.host() + "' is allowed on every port");
        }
        lines.add("http_access allow cg_dst_" + i + port + " CONNECT");
    }

    private static String destination(Element.NetRule rule, boolean hardened, Notes notes) {
        String host = rule.host().text();
        // Without -n Squid asks reverse DNS for the name of a requested address, and its owner may answer anything.
        String names = hardened ? "dstdomain -n " : "dstdomain ";
        return switch (rule.host().form()) {
            case ANY -> {
                notes.add("'*' allows every host; only the private ranges stay closed");
                yield "dstdomain .";
            }
            case SUBDOMAINS -> {
                notes.add("'" + host + "' becomes a pattern that allows names below the domain, not the domain itself");
                yield "dstdom_regex -n -i ^.+" + host.substring(1).replace(".", "\\.") + "$";
            }
            case NAME -> names + host;
            case IPV4, IPV6 -> "dst " + host;
        };
    }
}
