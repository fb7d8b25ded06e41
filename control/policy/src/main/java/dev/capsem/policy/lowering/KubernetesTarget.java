package dev.capsem.policy.lowering;

import dev.capsem.policy.artifact.Artifact;
import dev.capsem.policy.artifact.Coverage;
import dev.capsem.policy.artifact.Notes;
import dev.capsem.policy.artifact.Rows;
import dev.capsem.policy.artifact.Support;
import dev.capsem.policy.binds.BindPlan;
import dev.capsem.policy.binds.BindRows;
import dev.capsem.policy.egress.EgressTarget;
import dev.capsem.policy.grammar.ClockSource;
import dev.capsem.policy.grammar.EnvAction;
import dev.capsem.policy.grammar.Host;
import dev.capsem.policy.ir.Element;
import dev.capsem.policy.ir.Policy;
import dev.capsem.source.json.JsonValue;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;

/// A Pod that may do nothing it need not, and a NetworkPolicy that lets out declared addresses only.
///
/// A NetworkPolicy knows addresses, not names: names stay closed and are listed as unenforceable.
final class KubernetesTarget {
    private static final long USER = 65_532;

    private final Policy policy;
    private final LoweringOptions options;
    private final String name;
    private final Notes notes = new Notes();
    private final List<JsonValue> volumes = new ArrayList<>();
    private final List<JsonValue> mounts = new ArrayList<>();

    private KubernetesTarget(Policy policy, LoweringOptions options) {
        this.policy = policy;
        this.options = options;
        this.name = Rows.slug(policy.serverName());
    }

    static Artifact.DocumentArtifact lower(Policy policy, LoweringOptions options) {
        return new KubernetesTarget(policy, options).lower();
    }

    private Artifact.DocumentArtifact lower() {
        Support.check("kubernetes", policy, EnumSet.copyOf(DockerTarget.SUPPORTED), options.strict(), notes);
        DockerMcpTarget.noteImage(options, notes);
        notes.add(
                "directories are taken from the node (hostPath); replace them by volumes of your cluster where you can");
        JsonValue config = JsonValue.members()
                .put("apiVersion", "v1")
                .put("kind", "List")
                .put("items", JsonValue.items(List.of(pod(), networkPolicy()), item -> item))
                .build();
        BindRows binds = BindRows.of(policy);
        List<Coverage> rows = Rows.of(policy, element -> cover(binds, element));
        Rows.noteWidenings(rows, notes);
        return Artifact.DocumentArtifact.of("kubernetes", config, "capgate-kubernetes.json", policy, rows, notes);
    }

    private JsonValue pod() {
        collectVolumes();
        JsonValue.Builder container = JsonValue.members()
                .put("name", "server")
                .put("image", options.imageOrUnset())
                .put("stdin", true);
        if (!options.command().isEmpty()) {
            container.put("command", options.command());
        }
        container
                .put(
                        "securityContext",
                        JsonValue.members()
                                .put("allowPrivilegeEscalation", false)
                                .put("privileged", false)
                                .put("readOnlyRootFilesystem", options.readOnlyRootfs())
                                .put("runAsNonRoot", true)
                                .put("runAsUser", USER)
                                .put("capabilities", JsonValue.members().put("drop", List.of("ALL")))
                                .put("seccompProfile", JsonValue.members().put("type", "RuntimeDefault")))
                .put("env", JsonValue.items(policy.env(), this::variable))
                .put("volumeMounts", JsonValue.items(mounts, mount -> mount));
        JsonValue.Builder spec = JsonValue.members()
                .put("automountServiceAccountToken", false)
                .put("enableServiceLinks", false)
                .put("hostNetwork", false)
                .put("hostPID", false)
                .put("hostIPC", false)
                .put("restartPolicy", "Never")
                .put("containers", JsonValue.items(List.of(container), JsonValue.Builder::build))
                .put("volumes", JsonValue.items(volumes, volume -> volume));
        if (policy.nestedSandbox()) {
            spec.put("runtimeClassName", "gvisor");
            notes.add("nested sandbox: the Pod asks for runtime class 'gvisor'; name the class your cluster has");
        }
        return JsonValue.members()
                .put("apiVersion", "v1")
                .put("kind", "Pod")
                .put("metadata", metadata())
                .put("spec", spec)
                .build();
    }

    private JsonValue metadata() {
        JsonValue.Builder metadata = JsonValue.members()
                .put("name", name)
                .put("labels", JsonValue.members().put("app.kubernetes.io/name", name));
        policy.provenance()
                .ifPresent(block -> metadata.put(
                        "annotations", JsonValue.members().put("capgate/manifest-hash", block.manifestHash())));
        return metadata.build();
    }

    private void collectVolumes() {
        BindPlan plan = BindPlan.of(policy);
        if (!plan.coversTmp()) {
            volumes.add(JsonValue.members()
                    .put("name", "tmp")
                    .put("emptyDir", JsonValue.members())
                    .build());
            mounts.add(JsonValue.members()
                    .put("name", "tmp")
                    .put("mountPath", "/tmp")
                    .build());
        }
        plan.binds().forEach(bind -> hostPath(bind.target(), !bind.isWritable(), ""));
        if (policy.clock() == ClockSource.TZDATA) {
            BwrapTarget.ZONE_FILES.forEach(file -> hostPath(file, true, ""));
        }
        for (Element.IpcRule rule : policy.ipc()) {
            String endpoint = rule.endpoint().text();
            if (rule.endpoint().socket().isPresent()) {
                hostPath(rule.endpoint().socket().get(), false, "Socket");
            } else if (endpoint.equals("dbus:system")) {
                hostPath(BwrapTarget.SYSTEM_BUS, false, "Socket");
            } else {
                notes.add(BwrapTarget.unknownEndpoint(endpoint));
            }
        }
    }

    private void hostPath(String path, boolean readOnly, String type) {
        String volume = "v" + volumes.size();
        // Kubernetes refuses a colon in a mount path.
        String spelled = DockerTarget.spell(path);
        volumes.add(JsonValue.members()
                .put("name", volume)
                .put("hostPath", JsonValue.members().put("path", spelled).put("type", type))
                .build());
        mounts.add(JsonValue.members()
                .put("name", volume)
                .put("mountPath", spelled)
                .put("readOnly", readOnly)
                .build());
    }

    private JsonValue variable(Element.EnvRule rule) {
        boolean isSecret = rule.action() == EnvAction.INJECT;
        JsonValue.Builder reference = JsonValue.members()
                .put("name", name + (isSecret ? "-secrets" : "-env"))
                .put("key", rule.name());
        return JsonValue.members()
                .put("name", rule.name())
                .put("valueFrom", JsonValue.members().put(isSecret ? "secretKeyRef" : "configMapKeyRef", reference))
                .build();
    }

    private JsonValue networkPolicy() {
        List<JsonValue> egress = new ArrayList<>();
        for (Element.NetRule rule : policy.net()) {
            List<JsonValue> peers = peers(rule);
            if (peers.isEmpty()) {
                continue;
            }
            JsonValue.Builder entry = JsonValue.members().put("to", JsonValue.items(peers, peer -> peer));
            if (rule.port().isPresent()) {
                entry.put(
                        "ports",
                        JsonValue.items(
                                List.of(rule.port().getAsInt()),
                                port -> JsonValue.members()
                                        .put("protocol", "TCP")
                                        .put("port", port)
                                        .build()));
            }
            egress.add(entry.build());
        }
        return JsonValue.members()
                .put("apiVersion", "networking.k8s.io/v1")
                .put("kind", "NetworkPolicy")
                .put("metadata", metadata())
                .put(
                        "spec",
                        JsonValue.members()
                                .put(
                                        "podSelector",
                                        JsonValue.members()
                                                .put(
                                                        "matchLabels",
                                                        JsonValue.members().put("app.kubernetes.io/name", name)))
                                .put("policyTypes", List.of("Ingress", "Egress"))
                                .put("ingress", List.of())
                                .put("egress", JsonValue.items(egress, rule -> rule)))
                .build();
    }

    private static List<JsonValue> peers(Element.NetRule rule) {
        return switch (rule.host().form()) {
            case NAME, SUBDOMAINS -> List.of();
            case IPV4 -> List.of(block(rule.host() + "/32", List.of()));
            case IPV6 -> List.of(block(rule.host() + "/128", List.of()));
            case ANY -> List.of(block("0.0.0.0/0", EgressTarget.PRIVATE_V4), block("::/0", EgressTarget.PRIVATE_V6));
        };
    }

    private static JsonValue block(String cidr, List<String> except) {
        JsonValue.Builder block = JsonValue.members().put("cidr", cidr);
        if (!except.isEmpty()) {
            block.put("except", except);
        }
        return JsonValue.members().put("ipBlock", block).build();
    }

    private static Coverage cover(BindRows binds, Element element) {
        return switch (element) {
            case Element.FsRoot root -> binds.of(root);
            case Element.NetRule rule ->
                rule.host().form() == Host.Form.ANY || rule.host().isAddress()
                        ? Coverage.enforced(
                                rule, "allowed by the NetworkPolicy, if the cluster's network enforces them")
                        : Coverage.unenforceable(rule, "a NetworkPolicy knows addresses, not names; it stays closed");
            case Element.ExecRule rule -> Coverage.unenforceable(rule, "any program of the image can be run");
            case Element.EnvRule rule -> Coverage.host(rule, "taken from a Secret or ConfigMap the host provides");
            case Element.IpcRule rule ->
                rule.endpoint().text().equals("x11")
                        ? Coverage.unenforceable(rule, "a Pod has no display of its node")
                        : BwrapTarget.ipcCoverage(rule);
            case Element.ClockRule rule -> Coverage.enforced(rule, BwrapTarget.clockDetail(rule));
            case Element.Assertion assertion -> Coverage.host(assertion, Rows.PROMISE);
        };
    }
}
