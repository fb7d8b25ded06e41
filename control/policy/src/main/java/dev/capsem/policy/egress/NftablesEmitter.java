package dev.capsem.policy.egress;

import dev.capsem.policy.artifact.Artifact;
import dev.capsem.policy.artifact.Notes;
import dev.capsem.policy.grammar.Host;
import dev.capsem.policy.ir.Element;
import dev.capsem.policy.ir.Policy;
import java.util.ArrayList;
import java.util.List;

/// A packet filter for the network namespace of a sandbox. It knows addresses only; names are refused.
public final class NftablesEmitter {
    public static final String HEADER =
            "# capgate egress allow list for nftables; load it in the sandbox's network namespace";

    private NftablesEmitter() {}

    static EgressTarget.Emitted emit(Policy policy, boolean hardened, Notes notes) {
        List<String> body = new ArrayList<>();
        List<Artifact.EgressArtifact.Refused> refused = new ArrayList<>();
        List<String> accepts = new ArrayList<>();
        policy.net().forEach(rule -> accept(rule, accepts, refused, notes));
        List<String> drops = drops(policy);
        if (hardened) {
            body.add("ct state established,related accept");
            // A declared private address is meant, so it is accepted before its range is closed.
            policy.net().stream()
                    .filter(rule -> !rule.blockPrivate() && rule.host().isAddress())
                    .forEach(rule -> body.add(accept(rule)));
        }
        body.addAll(drops);
        body.addAll(accepts);
        if (policy.net().isEmpty()) {
            notes.add("no host is declared: everything is dropped");
        }
        if (!refused.isEmpty()) {
            notes.add(refused.size() + " of " + policy.net().size()
                    + " rules cannot be written for a packet filter and stay closed; use a proxy for them");
        }
        List<String> lines = new ArrayList<>(List.of(
                HEADER,
                "table inet capgate {",
                "  chain egress {",
                "    type filter hook output priority 0; policy drop;"));
        body.forEach(line -> lines.add("    " + line));
        lines.add("  }");
        lines.add("}");
        return new EgressTarget.Emitted(String.join("\n", lines), refused);
    }

    private static List<String> drops(Policy policy) {
        if (!EgressTarget.blocksPrivate(policy)) {
            return List.of();
        }
        return List.of(
                "ip daddr { " + String.join(", ", EgressTarget.PRIVATE_V4) + " } drop",
                "ip6 daddr { " + String.join(", ", EgressTarget.PRIVATE_V6) + " } drop");
    }

    private static void accept(
            Element.NetRule rule, List<String> accepts, List<Artifact.EgressArtifact.Refused> refused, Notes notes) {
        switch (rule.host().form()) {
            case ANY ->
                refused.add(new Artifact.EgressArtifact.Refused(
                        rule, "a packet filter cannot tell a name from an address, so '*' would open everything"));
            case NAME, SUBDOMAINS ->
                refused.add(new Artifact.EgressArtifact.Refused(
                        rule, "a packet filter sees addresses, not the name '" + rule.host() + "'"));
            case IPV4, IPV6 -> {
                accepts.add(accept(rule));
                if (rule.port().isEmpty()) {
                    notes.add("'" + rule.host() + "' is accepted on every port and protocol");
                }
            }
        }
    }

    private static String accept(Element.NetRule rule) {
        String family = rule.host().form() == Host.Form.IPV6 ? "ip6" : "ip";
        String port = rule.port().isPresent() ? " tcp dport " + rule.port().getAsInt() : "";
        return family + " daddr " + rule.host() + port + " accept";
    }
}
