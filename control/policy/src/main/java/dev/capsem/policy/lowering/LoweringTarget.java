package dev.capsem.policy.lowering;

import dev.capsem.policy.artifact.Artifact;
import dev.capsem.policy.egress.EgressOptions;
import dev.capsem.policy.egress.EgressTarget;
import dev.capsem.policy.grammar.Kind;
import dev.capsem.policy.ir.Policy;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/// Everything a policy can be lowered to.
public enum LoweringTarget {
    BWRAP("flags for bubblewrap"),
    DOCKER("flags for docker run"),
    EGRESS("an allow list for a proxy or packet filter"),
    WORKER("resource limits for a Node worker thread"),
    CAPSEM("a profile fragment for Capsem: server entry and rules"),
    SRT("settings for sandbox-runtime"),
    TOOLHIVE("a ToolHive permission profile"),
    DOCKER_MCP("a Docker MCP catalog entry"),
    COMPOSE("a compose service"),
    KUBERNETES("a Pod and a NetworkPolicy"),
    OCI("config.json for runc, gVisor or Kata"),
    SYSTEMD("a drop-in for a systemd service"),
    SECCOMP("a seccomp profile derived from the policy"),
    LANDLOCK("a Landlock rule file"),
    DENO("permission flags for Deno");

    private final String purpose;

    LoweringTarget(String purpose) {
        this.purpose = purpose;
    }

    public String purpose() {
        return purpose;
    }

    public String word() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /// The kinds of capability the target has an answer for; any other kind fails in strict mode.
    public Set<Kind> supported() {
        return switch (this) {
            case BWRAP, DOCKER, COMPOSE, KUBERNETES, OCI, SYSTEMD, CAPSEM -> EnumSet.allOf(Kind.class);
            case EGRESS -> EnumSet.copyOf(EgressTarget.SUPPORTED);
            case WORKER -> WorkerTarget.supported();
            case SRT -> SrtTarget.supported();
            case TOOLHIVE -> ToolhiveTarget.supported();
            case DOCKER_MCP -> DockerMcpTarget.supported();
            case SECCOMP -> SeccompTarget.supported();
            case LANDLOCK -> LandlockTarget.supported();
            case DENO -> DenoTarget.supported();
        };
    }

    public Artifact lower(Policy policy, LoweringOptions options) {
        return switch (this) {
            case BWRAP ->
                BwrapTarget.lower(policy, options.strict() ? BwrapOptions.DEFAULT : BwrapOptions.DEFAULT.permissive());
            case DOCKER ->
                DockerTarget.lower(
                        policy, new DockerOptions(options.readOnlyRootfs(), options.user(), options.strict()));
            case EGRESS ->
                EgressTarget.lower(policy, new EgressOptions(options.egress(), options.strict(), options.hardened()));
            case WORKER -> WorkerTarget.lower(policy, options);
            case CAPSEM -> CapsemTarget.lower(policy, options);
            case SRT -> SrtTarget.lower(policy, options);
            case TOOLHIVE -> ToolhiveTarget.lower(policy, options);
            case DOCKER_MCP -> DockerMcpTarget.lower(policy, options);
            case COMPOSE -> ComposeTarget.lower(policy, options);
            case KUBERNETES -> KubernetesTarget.lower(policy, options);
            case OCI -> OciTarget.lower(policy, options);
            case SYSTEMD -> SystemdTarget.lower(policy, options);
            case SECCOMP -> SeccompTarget.lower(policy, options);
            case LANDLOCK -> LandlockTarget.lower(policy, options);
            case DENO -> DenoTarget.lower(policy, options);
        };
    }

    public static Optional<LoweringTarget> of(String word) {
        return Arrays.stream(values())
                .filter(target -> target.word().equals(word))
                .findFirst();
    }

    public static String words() {
        return Arrays.stream(values()).map(LoweringTarget::word).collect(Collectors.joining(", "));
    }
}
