package dev.capsem.policy.lowering;

import dev.capsem.policy.artifact.Artifact;
import dev.capsem.policy.artifact.Coverage;
import dev.capsem.policy.artifact.Notes;
import dev.capsem.policy.artifact.Rows;
import dev.capsem.policy.artifact.Support;
import dev.capsem.policy.binds.BindPlan;
import dev.capsem.policy.binds.BindRows;
import dev.capsem.policy.grammar.ClockSource;
import dev.capsem.policy.ir.Element;
import dev.capsem.policy.ir.Policy;
import dev.capsem.source.json.JsonValue;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;

/// `config.json` of an OCI bundle whose image lies in `rootfs`, for runc, gVisor (runsc) and Kata alike.
final class OciTarget {
    private static final List<String> MASKED = List.of(
            "/proc/acpi",
            "/proc/kcore",
            "/proc/keys",
            "/proc/latency_stats",
            "/proc/sched_debug",
            "/proc/scsi",
            "/proc/timer_list",
            "/proc/timer_stats",
            "/sys/firmware");
    private static final List<String> READ_ONLY =
            List.of("/proc/bus", "/proc/fs", "/proc/irq", "/proc/sys", "/proc/sysrq-trigger");

    private OciTarget() {}

    static Artifact.DocumentArtifact lower(Policy policy, LoweringOptions options) {
        Notes notes = new Notes();
        Support.check("oci", policy, EnumSet.copyOf(DockerTarget.SUPPORTED), options.strict(), notes);
        if (options.command().isEmpty()) {
            notes.add("no command was given: process.args starts a shell; use --command, or set it on the host");
        }
        if (!policy.net().isEmpty()) {
            notes.add("the network namespace is empty: the host must offer an egress proxy in it");
        }
        if (policy.nestedSandbox()) {
            notes.add("nested sandbox: run this bundle with runsc or Kata, which give the program a kernel of its own");
        }
        JsonValue config = JsonValue.members()
                .put("ociVersion", "1.0.2")
                .put("process", process(options))
                .put("root", JsonValue.members().put("path", "rootfs").put("readonly", options.readOnlyRootfs()))
                .put("hostname", Rows.slug(policy.serverName()))
                .put("mounts", mounts(policy, notes))
                .put(
                        "linux",
                        JsonValue.members()
                                .put(
                                        "namespaces",
                                        JsonValue.items(
                                                List.of("pid", "network", "ipc", "uts", "mount", "cgroup"),
                                                type -> JsonValue.members()
                                                        .put("type", type)
                                                        .build()))
                                .put("maskedPaths", MASKED)
                                .put("readonlyPaths", READ_ONLY)
                                .put("seccomp", SeccompTarget.profile(policy)))
                .build();
        BindRows binds = BindRows.of(policy);
        List<Coverage> rows = Rows.of(policy, element -> cover(binds, element));
        Rows.noteWidenings(rows, notes);
        return Artifact.DocumentArtifact.of("oci", config, "config.json", policy, rows, notes);
    }

    private static JsonValue.Builder process(LoweringOptions options) {
        JsonValue.Builder none = JsonValue.members();
        for (String set : List.of("bounding", "effective", "inheritable", "permitted", "ambient")) {
            none.put(set, List.of());
        }
        return JsonValue.members()
                .put("terminal", false)
                .put("user", JsonValue.members().put("uid", 0).put("gid", 0))
                .put("args", options.command().isEmpty() ? List.of("/bin/sh") : options.command())
                .put("env", List.of("PATH=" + BwrapTarget.PATH, "HOME=/tmp"))
                .put("cwd", "/")
                .put("capabilities", none)
                .put("noNewPrivileges", true);
    }

    private static JsonValue mounts(Policy policy, Notes notes) {
        BindPlan plan = BindPlan.of(policy);
        List<JsonValue> mounts = new ArrayList<>();
        mounts.add(mount("/proc", "proc", "proc", List.of("nosuid", "noexec", "nodev")));
        mounts.add(mount("/dev", "tmpfs", "tmpfs", List.of("nosuid", "strictatime", "mode=755", "size=65536k")));
        mounts.add(mount("/dev/shm", "tmpfs", "shm", List.of("nosuid", "noexec", "nodev", "mode=1777", "size=65536k")));
        if (!plan.coversTmp()) {
            mounts.add(mount("/tmp", "tmpfs", "tmpfs", List.of("nosuid", "nodev", "mode=1777")));
        }
        plan.binds().forEach(bind -> mounts.add(bind(bind.target(), bind.isWritable())));
        if (policy.clock() == ClockSource.TZDATA) {
            BwrapTarget.ZONE_FILES.forEach(file -> mounts.add(bind(file, false)));
        }
        for (Element.IpcRule rule : policy.ipc()) {
            String endpoint = rule.endpoint().text();
            if (rule.endpoint().socket().isPresent()) {
                mounts.add(bind(rule.endpoint().socket().get(), true));
            } else if (endpoint.equals("x11")) {
                mounts.add(bind(BwrapTarget.X11_SOCKETS, false));
                notes.add("x11: the host must set DISPLAY");
            } else if (endpoint.equals("dbus:system")) {
                mounts.add(bind(BwrapTarget.SYSTEM_BUS, true));
            } else {
                notes.add(BwrapTarget.unknownEndpoint(endpoint));
            }
        }
        return JsonValue.items(mounts, mount -> mount);
    }

    private static JsonValue bind(String path, boolean isWritable) {
        return mount(path, "bind", path, List.of("rbind", isWritable ? "rw" : "ro", "nosuid", "nodev"));
    }

    private static JsonValue mount(String destination, String type, String source, List<String> options) {
        return JsonValue.members()
                .put("destination", destination)
                .put("type", type)
                .put("source", source)
                .put("options", options)
                .build();
    }

    private static Coverage cover(BindRows binds, Element element) {
        return switch (element) {
            case Element.FsRoot root -> binds.of(root);
            case Element.NetRule rule ->
                Coverage.host(rule, "the network namespace is empty; a proxy of the host must allow this and no more");
            case Element.ExecRule rule -> Coverage.unenforceable(rule, "any program of the image can be run");
            case Element.EnvRule rule -> Coverage.host(rule, "the host adds this name to process.env");
            case Element.IpcRule rule -> BwrapTarget.ipcCoverage(rule);
            case Element.ClockRule rule -> Coverage.enforced(rule, BwrapTarget.clockDetail(rule));
            case Element.Assertion assertion -> Coverage.host(assertion, Rows.PROMISE);
        };
    }
}
