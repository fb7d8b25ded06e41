package dev.capsem.policy.lowering;

import dev.capsem.policy.artifact.Artifact;
import dev.capsem.policy.artifact.Coverage;
import dev.capsem.policy.artifact.Notes;
import dev.capsem.policy.artifact.Rows;
import dev.capsem.policy.artifact.Support;
import dev.capsem.policy.grammar.Kind;
import dev.capsem.policy.ir.Element;
import dev.capsem.policy.ir.Policy;
import dev.capsem.source.json.JsonValue;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/// A seccomp profile in Docker's format, derived from what the policy does not need: socket families, and calls that
/// change the kernel, other processes or the mount table. It adds to a sandbox; it is not one.
final class SeccompTarget {
    private static final int AF_UNIX = 1;
    private static final int AF_INET = 2;
    private static final int AF_INET6 = 10;
    /// Families above this number are refused as a range; AF_MAX of Linux 6 is 46.
    private static final int FAMILY_MAX = 46;

    private static final long EPERM = 1;
    private static final long EAFNOSUPPORT = 97;

    /// Nothing a tool server does; several have been the way out of a container.
    private static final List<String> NEVER = List.of(
            "acct",
            "add_key",
            "bpf",
            "delete_module",
            "fanotify_init",
            "finit_module",
            "init_module",
            "io_uring_enter",
            "io_uring_register",
            "io_uring_setup",
            "ioperm",
            "iopl",
            "kcmp",
            "kexec_file_load",
            "kexec_load",
            "keyctl",
            "lookup_dcookie",
            "mbind",
            "move_pages",
            "nfsservctl",
            "open_by_handle_at",
            "perf_event_open",
            "process_vm_readv",
            "process_vm_writev",
            "ptrace",
            "quotactl",
            "reboot",
            "request_key",
            "set_mempolicy",
            "settimeofday",
            "clock_settime",
            "swapoff",
            "swapon",
            "userfaultfd",
            "vhangup");

    /// What a program needs to build a sandbox of its own, and nobody else does.
    private static final List<String> SANDBOX_BUILDING = List.of(
            "chroot",
            "fsconfig",
            "fsmount",
            "fsopen",
            "fspick",
            "mount",
            "mount_setattr",
            "move_mount",
            "open_tree",
            "pivot_root",
            "setns",
            "umount",
            "umount2",
            "unshare");

    private SeccompTarget() {}

    static Set<Kind> supported() {
        return EnumSet.of(Kind.NET, Kind.EXEC, Kind.IPC, Kind.CLOCK, Kind.ASSERT);
    }

    static Artifact.DocumentArtifact lower(Policy policy, LoweringOptions options) {
        Notes notes = new Notes();
        Support.check("seccomp", policy, supported(), options.strict(), notes);
        notes.add("a system call filter adds to a sandbox: it sees neither paths nor hosts");
        List<Coverage> rows = Rows.of(policy, SeccompTarget::cover);
        Rows.noteWidenings(rows, notes);
        return Artifact.DocumentArtifact.of("seccomp", profile(policy), "seccomp.json", policy, rows, notes);
    }

    /// Also part of the OCI document.
    static JsonValue profile(Policy policy) {
        List<JsonValue> rules = new ArrayList<>();
        rules.add(refuse(NEVER, EPERM, List.of()));
        if (!policy.nestedSandbox()) {
            rules.add(refuse(SANDBOX_BUILDING, EPERM, List.of()));
        }
        for (int family = 0; family < FAMILY_MAX; family++) {
            if (!isOpen(family, policy)) {
                rules.add(refuse(List.of("socket"), EAFNOSUPPORT, List.of(argument(family, "SCMP_CMP_EQ"))));
            }
        }
        rules.add(refuse(List.of("socket"), EAFNOSUPPORT, List.of(argument(FAMILY_MAX, "SCMP_CMP_GE"))));
        return JsonValue.members()
                .put("defaultAction", "SCMP_ACT_ALLOW")
                .put(
                        "architectures",
                        List.of("SCMP_ARCH_X86_64", "SCMP_ARCH_X86", "SCMP_ARCH_X32", "SCMP_ARCH_AARCH64"))
                .put("syscalls", JsonValue.items(rules, rule -> rule))
                .build();
    }

    /// AF_UNIX is open for a declared endpoint, and for every policy with a network: resolvers and runtimes use it.
    private static boolean isOpen(int family, Policy policy) {
        return switch (family) {
            case AF_UNIX -> !policy.ipc().isEmpty() || !policy.net().isEmpty();
            case AF_INET, AF_INET6 -> !policy.net().isEmpty();
            default -> false;
        };
    }

    private static JsonValue argument(int value, String comparison) {
        return JsonValue.members()
                .put("index", 0)
                .put("value", value)
                .put("op", comparison)
                .build();
    }

    private static JsonValue refuse(List<String> names, long errno, List<JsonValue> arguments) {
        return JsonValue.members()
                .put("names", names)
                .put("action", "SCMP_ACT_ERRNO")
                .put("errnoRet", errno)
                .put("args", JsonValue.items(arguments, argument -> argument))
                .build();
    }

    private static Coverage cover(Element element) {
        return switch (element) {
            case Element.NetRule rule -> Coverage.widened(rule, "internet sockets are open, to any host and port");
            case Element.IpcRule rule -> Coverage.widened(rule, "unix sockets are open, to any path that is visible");
            case Element.ExecRule rule -> Coverage.unenforceable(rule, "a filter cannot tell programs apart");
            case Element.FsRoot root -> Rows.leftOut("seccomp", root);
            case Element.EnvRule rule -> Rows.leftOut("seccomp", rule);
            case Element.ClockRule rule -> Coverage.enforced(rule, "the clock can be read but not set");
            case Element.Assertion assertion -> Coverage.host(assertion, Rows.PROMISE);
        };
    }
}
