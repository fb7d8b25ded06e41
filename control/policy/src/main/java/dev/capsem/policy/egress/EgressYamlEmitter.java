package dev.capsem.policy.egress;

import dev.capsem.policy.artifact.Notes;
import dev.capsem.policy.ir.Element;
import dev.capsem.policy.ir.Policy;
import dev.capsem.source.json.JsonValue;
import dev.capsem.source.json.JsonWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/// The neutral form: a thin YAML that any proxy's owner can translate. Scalars are quoted as JSON, which YAML reads.
final class EgressYamlEmitter {
    private EgressYamlEmitter() {}

    static EgressTarget.Emitted emit(Policy policy, Notes notes) {
        List<String> lines = new ArrayList<>();
        lines.add("# capgate egress allow list; everything that no rule allows is refused");
        lines.add("version: 1");
        lines.add("server:");
        lines.add("  name: " + quoted(policy.serverName()));
        lines.add("  version: " + quoted(policy.serverVersion()));
        policy.provenance().ifPresent(block -> lines.add("manifestHash: " + quoted(block.manifestHash())));
        lines.add("default: deny");
        lines.add("privateRanges:");
        EgressTarget.PRIVATE_V4.forEach(range -> lines.add("  - " + quoted(range)));
        EgressTarget.PRIVATE_V6.forEach(range -> lines.add("  - " + quoted(range)));
        lines.add(policy.net().isEmpty() ? "allow: []" : "allow:");
        policy.net().forEach(rule -> rule(rule, lines));
        if (policy.net().isEmpty()) {
            notes.add("no host is declared: everything is refused");
        }
        return new EgressTarget.Emitted(String.join("\n", lines), List.of());
    }

    private static void rule(Element.NetRule rule, List<String> lines) {
        lines.add("  - host: " + quoted(rule.host().text()));
        lines.add("    match: " + rule.host().form().name().toLowerCase(Locale.ROOT));
        lines.add("    port: " + (rule.port().isPresent() ? rule.port().getAsInt() : "any"));
        lines.add("    blockPrivate: " + rule.blockPrivate());
    }

    private static String quoted(String text) {
        return JsonWriter.compact(JsonValue.of(text));
    }
}
