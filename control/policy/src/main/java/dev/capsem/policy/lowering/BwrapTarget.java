package dev.capsem.policy.lowering;

import dev.capsem.policy.artifact.Artifact;
import dev.capsem.policy.artifact.Coverage;
import dev.capsem.policy.artifact.Notes;
import dev.capsem.policy.artifact.Support;
import dev.capsem.policy.binds.BindNotes;
import dev.capsem.policy.binds.BindPlan;
import dev.capsem.policy.grammar.ClockSource;
import dev.capsem.policy.grammar.Kind;
import dev.capsem.policy.ir.Element;
import dev.capsem.policy.ir.Policy;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/// Flags for bubblewrap. The network namespace is always empty: egress goes through a proxy the host provides.
public final class BwrapTarget {
    static final Set<Kind> SUPPORTED = EnumSet.allOf(Kind.class);
    static final String PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
    static final String X11_SOCKETS = "/tmp/.X11-unix";
    static final String SYSTEM_BUS = "/run/dbus/system_bus_socket";
    static final List<String> ZONE_FILES = List.of("/usr/share/zoneinfo", "/etc/localtime");

    private final Policy policy;
    private final BwrapOptions options;
    private final BindPlan plan;
    private final List<String> argv = new ArrayList<>();
    private final List<String> injections = new ArrayList<>();
    private final Notes notes = new Notes();

    private BwrapTarget(Policy policy, BwrapOptions options) {
        this.policy = policy;
        this.options = options;
        this.plan = BindPlan.of(policy);
    }

    public static Artifact.SandboxArtifact lower(Policy policy, BwrapOptions options) {
        return new BwrapTarget(policy, options).lower();
    }

    private Artifact.SandboxArtifact lower() {
        Support.check("bwrap", policy, SUPPORTED, options.strict(), notes);
        policy.env().forEach(rule -> injections.add(rule.name()));
        namespaces();
        systemMounts();
        plan.binds().forEach(this::bind);
        policy.exec()
                .forEach(rule -> notes.add("'" + rule.binary()
                        + "' must be found in the bound directories; bwrap does not restrict which programs are run"));
        policy.ipc().forEach(this::ipc);
        argv("--clearenv", "--setenv", "PATH", PATH, "--setenv", "HOME", "/tmp");
        if (!policy.net().isEmpty()) {
            notes.add(
                    "the sandbox has no network; the host must offer an egress proxy that allows the listed hosts only");
        }
        return new Artifact.SandboxArtifact(
                argv,
                policy.net(),
                injections,
                policy.assertions(),
                policy.provenance(),
                notes.list(),
                coverage(policy));
    }

    private void namespaces() {
        argv("--unshare-uts", "--unshare-cgroup-try", "--unshare-net");
        if (policy.nestedSandbox()) {
            notes.add("nested sandbox: user, pid and ipc namespaces are not unshared, so that the program can build its"
                    + " own; it therefore sees the processes of the host");
        } else {
            argv("--unshare-user-try", "--unshare-pid", "--unshare-ipc");
        }
        argv("--die-with-parent", "--new-session");
    }

    private void systemMounts() {
        options.systemMounts().forEach(mount -> argv("--ro-bind-try", mount, mount));
        argv("--proc", "/proc");
        if (!plan.coversTmp()) {
            argv("--tmpfs", "/tmp");
        }
        if (options.exposeDev().orElse(policy.nestedSandbox())) {
            argv("--dev", "/dev");
        }
        if (policy.clock() == ClockSource.TZDATA) {
            ZONE_FILES.forEach(file -> argv("--ro-bind-try", file, file));
        }
    }

    private void bind(BindPlan.Bind bind) {
        argv(bind.isWritable() ? "--bind" : "--ro-bind", bind.target(), bind.target());
        BindNotes.add("bwrap", bind, notes);
    }

    private void ipc(Element.IpcRule rule) {
        String endpoint = rule.endpoint().text();
        if (rule.endpoint().socket().isPresent()) {
            String socket = rule.endpoint().socket().get();
            argv("--bind-try", socket, socket);
            return;
        }
        switch (endpoint) {
            case "x11" -> {
                argv("--bind-try", X11_SOCKETS, X11_SOCKETS);
                injections.add("DISPLAY");
            }
            case "dbus:session" ->
                notes.add("the session bus has no fixed path: the host must bind it and set its address");
            case "dbus:system" -> argv("--bind-try", SYSTEM_BUS, SYSTEM_BUS);
            default -> notes.add(unknownEndpoint(endpoint));
        }
    }

    static String unknownEndpoint(String endpoint) {
        return "endpoint '" + endpoint + "' is not known to the compiler: nothing is opened for it, the host decides";
    }

    static List<Coverage> coverage(Policy policy) {
        List<Coverage> rows = new ArrayList<>(fsCoverage(policy));
        for (Element element : policy.elements()) {
            switch (element) {
                case Element.FsRoot ignored -> {}
                case Element.NetRule rule ->
                    rows.add(Coverage.host(
                            rule, "no network in the sandbox; a proxy of the host must allow this and no more"));
                case Element.ExecRule rule ->
                    rows.add(Coverage.unenforceable(rule, "any program in the bound directories can be run"));
                case Element.EnvRule rule ->
                    rows.add(Coverage.host(
                            rule, "the environment is cleared; the host sets this name from its secret store"));
                case Element.IpcRule rule -> rows.add(ipcCoverage(rule));
                case Element.ClockRule rule -> rows.add(Coverage.enforced(rule, clockDetail(rule)));
                case Element.Assertion assertion ->
                    rows.add(Coverage.host(assertion, "a promise of the server; the host verifies it"));
            }
        }
        return rows;
    }

    static List<Coverage> fsCoverage(Policy policy) {
        List<Coverage> rows = new ArrayList<>();
        for (BindPlan.Bind bind : BindPlan.of(policy).binds()) {
            bind.roots().forEach(root -> rows.add(BindNotes.coverage(bind, root)));
        }
        return rows;
    }

    static Coverage ipcCoverage(Element.IpcRule rule) {
        String endpoint = rule.endpoint().text();
        if (rule.endpoint().socket().isPresent() || endpoint.equals("x11")) {
            return Coverage.enforced(rule, "the socket is bound where it exists");
        }
        return switch (endpoint) {
            case "dbus:system" -> Coverage.widened(rule, "the whole system bus is reachable");
            case "dbus:session" -> Coverage.host(rule, "the host must bind the session bus");
            default -> Coverage.unenforceable(rule, "the endpoint is not known to the compiler; nothing is opened");
        };
    }

    static String clockDetail(Element.ClockRule rule) {
        return rule.source() == ClockSource.TZDATA ? "zone files are bound read-only" : "the clock is always readable";
    }

    private void argv(String... words) {
        argv.addAll(List.of(words));
    }
}
