package dev.capsem.policy.lowering;

import dev.capsem.policy.artifact.Artifact;
import dev.capsem.policy.artifact.Coverage;
import dev.capsem.policy.artifact.Notes;
import dev.capsem.policy.artifact.Rows;
import dev.capsem.policy.artifact.Support;
import dev.capsem.policy.binds.BindPlan;
import dev.capsem.policy.binds.BindRows;
import dev.capsem.policy.grammar.Host;
import dev.capsem.policy.grammar.Kind;
import dev.capsem.policy.ir.Element;
import dev.capsem.policy.ir.Policy;
import dev.capsem.source.json.JsonValue;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/// A permission profile for ToolHive (`thv run --isolate-network --permission-profile FILE`).
///
/// Its hosts and ports are two independent lists, so every listed host is open on every listed port.
final class ToolhiveTarget {
    private ToolhiveTarget() {}

    static Set<Kind> supported() {
        return EnumSet.of(Kind.FS, Kind.NET, Kind.CLOCK, Kind.ASSERT);
    }

    static Artifact.DocumentArtifact lower(Policy policy, LoweringOptions options) {
        Notes notes = new Notes();
        Support.check("toolhive", policy, supported(), options.strict(), notes);
        List<String> readable = new ArrayList<>();
        List<String> writable = new ArrayList<>();
        for (BindPlan.Bind bind : BindPlan.of(policy).binds()) {
            (bind.isWritable() ? writable : readable).add(DockerTarget.spell(bind.target()));
        }
        Set<String> hosts = new TreeSet<>();
        Set<Integer> ports = new TreeSet<>();
        for (Element.NetRule rule : policy.net()) {
            if (isExpressible(rule)) {
                // A leading dot stands for the domain and everything below it.
                hosts.add(
                        rule.host().form() == Host.Form.SUBDOMAINS
                                ? rule.host().text().substring(1)
                                : rule.host().text());
                ports.add(rule.port().orElseThrow());
            }
        }
        JsonValue config = JsonValue.members()
                .put("name", Rows.slug(policy.serverName()))
                .put("read", readable)
                .put("write", writable)
                .put(
                        "network",
                        JsonValue.members()
                                .put(
                                        "outbound",
                                        JsonValue.members()
                                                .put("insecure_allow_all", false)
                                                .put("allow_host", hosts)
                                                .put("allow_port", JsonValue.items(ports, JsonValue::of))))
                .build();
        if (!policy.net().isEmpty()) {
            notes.add("network rules hold only with --isolate-network");
        }
        BindRows binds = BindRows.of(policy);
        List<Coverage> rows = Rows.of(policy, element -> cover(binds, element, hosts.size() * ports.size() > 1));
        Rows.noteWidenings(rows, notes);
        return Artifact.DocumentArtifact.of("toolhive", config, "toolhive-profile.json", policy, rows, notes);
    }

    /// Any host or any port could only be written as insecure_allow_all, which would open everything.
    private static boolean isExpressible(Element.NetRule rule) {
        return rule.host().form() != Host.Form.ANY && rule.port().isPresent();
    }

    private static Coverage cover(BindRows binds, Element element, boolean isProduct) {
        return switch (element) {
            case Element.FsRoot root -> binds.of(root);
            case Element.NetRule rule -> net(rule, isProduct);
            case Element.ExecRule rule -> Rows.leftOut("toolhive", rule);
            case Element.EnvRule rule -> Rows.leftOut("toolhive", rule);
            case Element.IpcRule rule -> Rows.leftOut("toolhive", rule);
            case Element.ClockRule rule -> Coverage.host(rule, "zone files must be part of the image");
            case Element.Assertion assertion -> Coverage.host(assertion, Rows.PROMISE);
        };
    }

    private static Coverage net(Element.NetRule rule, boolean isProduct) {
        if (!isExpressible(rule)) {
            return Coverage.unenforceable(rule, "any host or any port would need insecure_allow_all; it stays closed");
        }
        if (isProduct) {
            return Coverage.widened(
                    rule, "hosts and ports are independent lists: every host is open on every port listed");
        }
        if (rule.host().form() == Host.Form.SUBDOMAINS) {
            return Coverage.widened(rule, "the domain itself is allowed too");
        }
        return Coverage.enforced(rule, "allowed by ToolHive's egress proxy");
    }
}
