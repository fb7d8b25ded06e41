package dev.capsem.policy.egress;

import dev.capsem.policy.artifact.Artifact;
import dev.capsem.policy.artifact.Coverage;
import dev.capsem.policy.artifact.Notes;
import dev.capsem.policy.artifact.Support;
import dev.capsem.policy.grammar.Kind;
import dev.capsem.policy.ir.Element;
import dev.capsem.policy.ir.Policy;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// The allow list as a configuration for a proxy or packet filter. Everything not listed is refused.
public final class EgressTarget {
    public static final Set<Kind> SUPPORTED = EnumSet.of(Kind.NET, Kind.ASSERT);
    public static final List<String> PRIVATE_V4 =
            List.of("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "127.0.0.0/8", "169.254.0.0/16");
    public static final List<String> PRIVATE_V6 = List.of("::1/128", "fc00::/7", "fe80::/10");

    private static final String SHADOWED =
            "another rule closes the private ranges for all, so this private address stays unreachable";

    private EgressTarget() {}

    /// What an emitter gives: the text, and a reason for each rule it could not write.
    record Emitted(String config, List<Artifact.EgressArtifact.Refused> refused) {}

    public static Artifact.EgressArtifact lower(Policy policy, EgressOptions options) {
        Notes notes = new Notes();
        String adapter = "egress";
        Emitted emitted = emit(policy, options, notes, adapter);
        return new Artifact.EgressArtifact(
                options.kind().word(),
                emitted.config(),
                options.kind().filename(),
                emitted.refused(),
                policy.provenance(),
                notes.list(),
                coverage(policy, options, emitted));
    }

    private static Emitted emit(Policy policy, EgressOptions options, Notes notes, String adapter) {
        Notes skipped = new Notes();
        Support.check(adapter, policy, SUPPORTED, options.strict(), skipped);
        Emitted emitted = switch (options.kind()) {
            case SQUID -> SquidEmitter.emit(policy, options.hardened(), notes);
            case NFTABLES -> NftablesEmitter.emit(policy, options.hardened(), notes);
            case YAML -> EgressYamlEmitter.emit(policy, notes);
            case ENVOY -> EnvoyEmitter.emit(policy, notes);
            case MITMPROXY -> MitmproxyEmitter.emit(policy, notes);
        };
        policy.net().stream()
                .filter(rule -> isShadowed(rule, policy, options))
                .forEach(rule -> notes.add("'" + rule.host() + "': " + SHADOWED));
        skipped.list().forEach(notes::add);
        return emitted;
    }

    static boolean blocksPrivate(Policy policy) {
        return policy.net().stream().anyMatch(Element.NetRule::blockPrivate);
    }

    private static List<Coverage> coverage(Policy policy, EgressOptions options, Emitted emitted) {
        List<Coverage> rows = new ArrayList<>();
        for (Element.NetRule rule : policy.net()) {
            Optional<String> reason = emitted.refused().stream()
                    .filter(refused -> refused.rule().equals(rule))
                    .map(Artifact.EgressArtifact.Refused::reason)
                    .findFirst();
            rows.add(reason.map(text -> Coverage.unenforceable(rule, text))
                    .orElseGet(() -> isShadowed(rule, policy, options)
                            ? Coverage.unenforceable(rule, SHADOWED)
                            : kept(rule, options)));
        }
        policy.assertions()
                .forEach(assertion ->
                        rows.add(Coverage.host(assertion, "a promise of the server; the host verifies it")));
        rows.addAll(Support.leftOut("egress", policy, SUPPORTED));
        return rows;
    }

    /// One block of the private ranges serves all rules, and in these forms it comes first.
    private static boolean isShadowed(Element.NetRule rule, Policy policy, EgressOptions options) {
        return switch (options.kind()) {
            case SQUID, NFTABLES -> !options.hardened() && !rule.blockPrivate() && blocksPrivate(policy);
            case ENVOY -> !rule.blockPrivate() && blocksPrivate(policy);
            case YAML, MITMPROXY -> false;
        };
    }

    private static Coverage kept(Element.NetRule rule, EgressOptions options) {
        return switch (options.kind()) {
            case YAML -> Coverage.host(rule, "a neutral description; the program that reads it enforces it");
            case SQUID, ENVOY, MITMPROXY -> Coverage.enforced(rule, "allowed by the proxy; all else is refused");
            case NFTABLES -> Coverage.enforced(rule, "accepted by address; all else is dropped");
        };
    }
}
