package dev.capsem.policy.lowering;

import dev.capsem.policy.artifact.Artifact;
import dev.capsem.policy.artifact.Coverage;
import dev.capsem.policy.artifact.Notes;
import dev.capsem.policy.artifact.Support;
import dev.capsem.policy.binds.BindNotes;
import dev.capsem.policy.binds.BindPlan;
import dev.capsem.policy.diagnostic.Code;
import dev.capsem.policy.diagnostic.CompilationError;
import dev.capsem.policy.grammar.ClockSource;
import dev.capsem.policy.grammar.Kind;
import dev.capsem.policy.ir.Element;
import dev.capsem.policy.ir.Policy;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/// Flags for `docker run`. Never adds a capability, never asks for a privileged container.
public final class DockerTarget {
    static final Set<Kind> SUPPORTED = EnumSet.allOf(Kind.class);

    private final Policy policy;
    private final DockerOptions options;
    private final BindPlan plan;
    private final List<String> argv = new ArrayList<>();
    private final List<String> injections = new ArrayList<>();
    private final Notes notes = new Notes();

    private DockerTarget(Policy policy, DockerOptions options) {
        this.policy = policy;
        this.options = options;
        this.plan = BindPlan.of(policy);
    }

    public static Artifact.SandboxArtifact lower(Policy policy, DockerOptions options) {
        return new DockerTarget(policy, options).lower();
    }

    private Artifact.SandboxArtifact lower() {
        Support.check("docker", policy, SUPPORTED, options.strict(), notes);
        policy.env().forEach(rule -> injections.add(rule.name()));
        argv("--rm", "--cap-drop", "ALL", "--security-opt", "no-new-privileges");
        if (options.readOnlyRootfs()) {
            argv("--read-only");
        }
        if (!plan.coversTmp()) {
            argv("--tmpfs", "/tmp");
        }
        options.user().ifPresent(user -> argv("--user", user));
        network();
        plan.binds().forEach(this::bind);
        if (policy.clock() == ClockSource.TZDATA) {
            BwrapTarget.ZONE_FILES.forEach(file -> argv("--volume", file + ":" + file + ":ro"));
        }
        policy.exec()
                .forEach(rule -> notes.add("'" + rule.binary()
                        + "' must be part of the image; docker does not restrict which programs are run"));
        policy.ipc().forEach(this::ipc);
        if (policy.nestedSandbox()) {
            notes.add(
                    "nested sandbox: the default seccomp profile stops a program from building its own sandbox; choose"
                            + " a profile that allows user namespaces, or run the program without its own sandbox");
        }
        injections.forEach(name -> argv("--env", name));
        return new Artifact.SandboxArtifact(
                argv,
                policy.net(),
                injections,
                policy.assertions(),
                policy.provenance(),
                notes.list(),
                coverage(policy));
    }

    private void network() {
        if (policy.net().isEmpty()) {
            argv("--network", "none");
        } else {
            notes.add("the network is docker's default: the host must attach one whose only way out is an egress proxy"
                    + " that allows the listed hosts only");
        }
    }

    private void bind(BindPlan.Bind bind) {
        volume(bind.target(), bind.isWritable() ? ":rw" : ":ro");
        BindNotes.add("docker", bind, notes);
    }

    private void ipc(Element.IpcRule rule) {
        String endpoint = rule.endpoint().text();
        if (rule.endpoint().socket().isPresent()) {
            volume(rule.endpoint().socket().get(), "");
            return;
        }
        switch (endpoint) {
            case "x11" -> {
                volume(BwrapTarget.X11_SOCKETS, ":ro");
                injections.add("DISPLAY");
            }
            case "dbus:session" ->
                notes.add("the session bus has no fixed path: the host must mount it and set its address");
            case "dbus:system" -> volume(BwrapTarget.SYSTEM_BUS, "");
            default -> notes.add(BwrapTarget.unknownEndpoint(endpoint));
        }
    }

    private void volume(String path, String mode) {
        argv("--volume", spell(path) + ":" + path + mode);
    }

    /// A colon separates source, target and mode in a volume; a path that holds one would mount something else.
    static String spell(String path) {
        if (path.indexOf(':') >= 0) {
            throw new CompilationError(
                    Code.ADAPTER_PATH, "docker cannot mount '" + path + "': a volume path may not hold ':'");
        }
        return path;
    }

    static List<Coverage> coverage(Policy policy) {
        List<Coverage> rows = new ArrayList<>(BwrapTarget.fsCoverage(policy));
        for (Element element : policy.elements()) {
            switch (element) {
                case Element.FsRoot ignored -> {}
                case Element.NetRule rule ->
                    rows.add(Coverage.host(
                            rule, "the host attaches a network whose only way out is a proxy that allows this"));
                case Element.ExecRule rule ->
                    rows.add(Coverage.unenforceable(rule, "any program of the image can be run"));
                case Element.EnvRule rule ->
                    rows.add(Coverage.host(
                            rule, "passed by name; docker takes the value from the environment of its caller"));
                case Element.IpcRule rule -> rows.add(BwrapTarget.ipcCoverage(rule));
                case Element.ClockRule rule -> rows.add(Coverage.enforced(rule, BwrapTarget.clockDetail(rule)));
                case Element.Assertion assertion ->
                    rows.add(Coverage.host(assertion, "a promise of the server; the host verifies it"));
            }
        }
        return rows;
    }

    private void argv(String... words) {
        argv.addAll(List.of(words));
    }
}
