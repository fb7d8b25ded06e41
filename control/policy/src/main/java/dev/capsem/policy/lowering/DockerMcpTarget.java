package dev.capsem.policy.lowering;

import dev.capsem.policy.artifact.Artifact;
import dev.capsem.policy.artifact.Coverage;
import dev.capsem.policy.artifact.Notes;
import dev.capsem.policy.artifact.Rows;
import dev.capsem.policy.artifact.Support;
import dev.capsem.policy.binds.BindPlan;
import dev.capsem.policy.binds.BindRows;
import dev.capsem.policy.grammar.ClockSource;
import dev.capsem.policy.grammar.EnvAction;
import dev.capsem.policy.grammar.Host;
import dev.capsem.policy.grammar.Kind;
import dev.capsem.policy.ir.Element;
import dev.capsem.policy.ir.Policy;
import dev.capsem.source.json.JsonValue;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/// A catalog with one entry for the Docker MCP gateway (`docker mcp gateway run --catalog FILE --block-network`).
final class DockerMcpTarget {
    private DockerMcpTarget() {}

    static Set<Kind> supported() {
        return EnumSet.of(Kind.FS, Kind.NET, Kind.ENV, Kind.CLOCK, Kind.ASSERT);
    }

    static Artifact.DocumentArtifact lower(Policy policy, LoweringOptions options) {
        Notes notes = new Notes();
        Support.check("docker-mcp", policy, supported(), options.strict(), notes);
        String slug = Rows.slug(policy.serverName());
        List<String> volumes = new ArrayList<>();
        for (BindPlan.Bind bind : BindPlan.of(policy).binds()) {
            String path = DockerTarget.spell(bind.target());
            volumes.add(path + ":" + path + (bind.isWritable() ? "" : ":ro"));
        }
        if (policy.clock() == ClockSource.TZDATA) {
            BwrapTarget.ZONE_FILES.forEach(file -> volumes.add(file + ":" + file + ":ro"));
        }
        List<Element.EnvRule> secrets = policy.env().stream()
                .filter(rule -> rule.action() == EnvAction.INJECT)
                .toList();
        List<Element.EnvRule> plain = policy.env().stream()
                .filter(rule -> rule.action() == EnvAction.READ)
                .toList();
        JsonValue.Builder entry = JsonValue.members()
                .put("description", "compiled from " + policy.serverName() + " " + policy.serverVersion())
                .put("title", policy.serverName())
                .put("type", "server")
                .put("image", options.imageOrUnset())
                .put(
                        "tools",
                        JsonValue.items(
                                options.toolNames(),
                                name -> JsonValue.members().put("name", name).build()))
                .put(
                        "secrets",
                        JsonValue.items(
                                secrets,
                                rule -> JsonValue.members()
                                        .put("name", slug + "." + rule.name().toLowerCase(Locale.ROOT))
                                        .put("env", rule.name())
                                        .build()))
                .put(
                        "env",
                        JsonValue.items(
                                plain,
                                rule -> JsonValue.members()
                                        .put("name", rule.name())
                                        .put(
                                                "value",
                                                "{{" + slug + "." + rule.name().toLowerCase(Locale.ROOT) + "}}")
                                        .build()))
                .put("volumes", volumes);
        List<String> hosts = policy.net().stream()
                .filter(DockerMcpTarget::isExpressible)
                .map(Rows::hostPort)
                .toList();
        if (hosts.isEmpty()) {
            entry.put("disableNetwork", true);
        } else {
            entry.put("allowHosts", hosts);
            notes.add("allowHosts holds only with --block-network");
        }
        noteImage(options, notes);
        JsonValue config = JsonValue.members()
                .put("version", 3)
                .put("name", "capgate")
                .put("displayName", "Compiled by capgate")
                .put("registry", JsonValue.members().put(slug, entry))
                .build();
        BindRows binds = BindRows.of(policy);
        List<Coverage> rows = Rows.of(policy, element -> cover(binds, element));
        Rows.noteWidenings(rows, notes);
        return Artifact.DocumentArtifact.of("docker-mcp", config, "docker-mcp-catalog.yaml", policy, rows, notes);
    }

    static void noteImage(LoweringOptions options, Notes notes) {
        if (options.image().isEmpty()) {
            notes.add("no image was given: '" + LoweringOptions.IMAGE_UNSET + "' stands in its place; use --image");
        }
    }

    /// The gateway matches host and port exactly.
    private static boolean isExpressible(Element.NetRule rule) {
        return rule.port().isPresent()
                && rule.host().form() != Host.Form.ANY
                && rule.host().form() != Host.Form.SUBDOMAINS;
    }

    private static Coverage cover(BindRows binds, Element element) {
        return switch (element) {
            case Element.FsRoot root -> binds.of(root);
            case Element.NetRule rule ->
                isExpressible(rule)
                        ? Coverage.enforced(rule, "allowed by the gateway's proxy with --block-network")
                        : Coverage.unenforceable(rule, "allowHosts takes exact host:port pairs; it stays closed");
            case Element.EnvRule rule ->
                rule.action() == EnvAction.INJECT
                        ? Coverage.enforced(rule, "a secret of the gateway's store")
                        : Coverage.host(rule, "a value from the gateway's configuration");
            case Element.ExecRule rule -> Rows.leftOut("docker-mcp", rule);
            case Element.IpcRule rule -> Rows.leftOut("docker-mcp", rule);
            case Element.ClockRule rule -> Coverage.enforced(rule, BwrapTarget.clockDetail(rule));
            case Element.Assertion assertion -> Coverage.host(assertion, Rows.PROMISE);
        };
    }
}
