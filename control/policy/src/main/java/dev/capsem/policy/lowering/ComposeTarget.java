package dev.capsem.policy.lowering;

import dev.capsem.policy.artifact.Artifact;
import dev.capsem.policy.artifact.Coverage;
import dev.capsem.policy.artifact.Notes;
import dev.capsem.policy.artifact.Rows;
import dev.capsem.policy.artifact.Support;
import dev.capsem.policy.binds.BindPlan;
import dev.capsem.policy.grammar.ClockSource;
import dev.capsem.policy.ir.Element;
import dev.capsem.policy.ir.Policy;
import dev.capsem.source.json.JsonValue;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;

/// A compose file with one service: the docker flags in declarative form. JSON, which compose reads as YAML.
final class ComposeTarget {
    private ComposeTarget() {}

    static Artifact.DocumentArtifact lower(Policy policy, LoweringOptions options) {
        Notes notes = new Notes();
        Support.check("compose", policy, EnumSet.copyOf(DockerTarget.SUPPORTED), options.strict(), notes);
        BindPlan plan = BindPlan.of(policy);
        List<String> names =
                new ArrayList<>(policy.env().stream().map(Element.EnvRule::name).toList());
        JsonValue.Builder service = JsonValue.members()
                .put("image", escape(options.imageOrUnset()))
                .put("read_only", options.readOnlyRootfs())
                .put("cap_drop", List.of("ALL"))
                .put("security_opt", List.of("no-new-privileges:true"))
                .put("stdin_open", true);
        if (!plan.coversTmp()) {
            service.put("tmpfs", List.of("/tmp"));
        }
        options.user().ifPresent(user -> service.put("user", escape(user)));
        if (policy.net().isEmpty()) {
            service.put("network_mode", "none");
        } else {
            service.put("networks", List.of("egress"));
            notes.add("network 'egress' is internal: attach the egress proxy to it, nothing else leaves");
        }
        service.put("volumes", volumes(policy, plan, names, notes));
        service.put("environment", names);
        if (!options.command().isEmpty()) {
            service.put(
                    "command",
                    options.command().stream().map(ComposeTarget::escape).toList());
        }
        JsonValue.Builder file =
                JsonValue.members().put("services", JsonValue.members().put(Rows.slug(policy.serverName()), service));
        if (!policy.net().isEmpty()) {
            file.put(
                    "networks",
                    JsonValue.members().put("egress", JsonValue.members().put("internal", true)));
        }
        DockerMcpTarget.noteImage(options, notes);
        if (policy.nestedSandbox()) {
            notes.add("nested sandbox: choose a seccomp profile that allows user namespaces, or a stronger runtime");
        }
        List<Coverage> rows = new ArrayList<>(DockerTarget.coverage(policy));
        Rows.noteWidenings(rows, notes);
        return Artifact.DocumentArtifact.of("compose", file.build(), "compose.yaml", policy, rows, notes);
    }

    private static JsonValue volumes(Policy policy, BindPlan plan, List<String> names, Notes notes) {
        List<JsonValue> volumes = new ArrayList<>();
        plan.binds().forEach(bind -> volumes.add(bind(bind.target(), !bind.isWritable())));
        if (policy.clock() == ClockSource.TZDATA) {
            BwrapTarget.ZONE_FILES.forEach(file -> volumes.add(bind(file, true)));
        }
        for (Element.IpcRule rule : policy.ipc()) {
            String endpoint = rule.endpoint().text();
            if (rule.endpoint().socket().isPresent()) {
                volumes.add(bind(rule.endpoint().socket().get(), false));
            } else if (endpoint.equals("x11")) {
                volumes.add(bind(BwrapTarget.X11_SOCKETS, true));
                names.add("DISPLAY");
            } else if (endpoint.equals("dbus:system")) {
                volumes.add(bind(BwrapTarget.SYSTEM_BUS, false));
            } else {
                notes.add(BwrapTarget.unknownEndpoint(endpoint));
            }
        }
        return JsonValue.items(volumes, volume -> volume);
    }

    /// The long form, in which no character of a path separates anything.
    private static JsonValue bind(String path, boolean readOnly) {
        return JsonValue.members()
                .put("type", "bind")
                .put("source", escape(path))
                .put("target", escape(path))
                .put("read_only", readOnly)
                .put("bind", JsonValue.members().put("create_host_path", false))
                .build();
    }

    /// Compose replaces `$NAME`; a doubled dollar is a plain one.
    private static String escape(String text) {
        return text.replace("$", "$$");
    }
}
