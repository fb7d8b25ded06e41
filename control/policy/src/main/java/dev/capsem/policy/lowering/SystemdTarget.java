package dev.capsem.policy.lowering;

import dev.capsem.policy.artifact.Artifact;
import dev.capsem.policy.artifact.Coverage;
import dev.capsem.policy.artifact.Notes;
import dev.capsem.policy.artifact.Rows;
import dev.capsem.policy.artifact.Support;
import dev.capsem.policy.binds.BindPlan;
import dev.capsem.policy.binds.BindRows;
import dev.capsem.policy.diagnostic.Code;
import dev.capsem.policy.diagnostic.CompilationError;
import dev.capsem.policy.egress.EgressTarget;
import dev.capsem.policy.grammar.ClockSource;
import dev.capsem.policy.grammar.Host;
import dev.capsem.policy.ir.Element;
import dev.capsem.policy.ir.Policy;
import dev.capsem.source.json.JsonValue;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;

/// A drop-in for a service (`NAME.service.d/capgate.conf`): an empty root with what the policy grants bound into it.
final class SystemdTarget {
    private SystemdTarget() {}

    static Artifact.DocumentArtifact lower(Policy policy, LoweringOptions options) {
        Notes notes = new Notes();
        Support.check("systemd", policy, EnumSet.copyOf(DockerTarget.SUPPORTED), options.strict(), notes);
        List<String> lines = new ArrayList<>();
        lines.add("# capgate: sandbox of a service; put it into NAME.service.d/capgate.conf");
        lines.add("[Service]");
        lines.addAll(List.of(
                "NoNewPrivileges=yes",
                "CapabilityBoundingSet=",
                "AmbientCapabilities=",
                "LockPersonality=yes",
                "RestrictSUIDSGID=yes",
                "RestrictRealtime=yes",
                "ProtectKernelTunables=yes",
                "ProtectKernelModules=yes",
                "ProtectKernelLogs=yes",
                "ProtectControlGroups=yes",
                "ProtectClock=yes",
                "ProtectHostname=yes",
                "ProtectProc=invisible",
                "PrivateDevices=yes",
                "SystemCallArchitectures=native"));
        if (policy.nestedSandbox()) {
            notes.add("nested sandbox: namespaces and mount calls stay open for the program");
        } else {
            lines.add("RestrictNamespaces=yes");
            lines.add("SystemCallFilter=@system-service");
        }
        mounts(policy, lines, notes);
        network(policy, lines, notes);
        List<String> names =
                new ArrayList<>(policy.env().stream().map(Element.EnvRule::name).toList());
        if (policy.ipc().stream().anyMatch(rule -> rule.endpoint().text().equals("x11"))) {
            names.add("DISPLAY");
        }
        if (!names.isEmpty()) {
            lines.add("PassEnvironment=" + String.join(" ", names));
        }
        BindRows binds = BindRows.of(policy);
        List<Coverage> rows = Rows.of(policy, element -> cover(binds, element));
        Rows.noteWidenings(rows, notes);
        return Artifact.DocumentArtifact.of(
                "systemd", JsonValue.of(String.join("\n", lines) + "\n"), "capgate.conf", policy, rows, notes);
    }

    private static void mounts(Policy policy, List<String> lines, Notes notes) {
        BindPlan plan = BindPlan.of(policy);
        lines.add("TemporaryFileSystem=/:ro");
        BwrapOptions.DEFAULT.systemMounts().forEach(mount -> lines.add("BindReadOnlyPaths=-" + mount));
        if (!plan.coversTmp()) {
            lines.add("PrivateTmp=yes");
        }
        for (BindPlan.Bind bind : plan.binds()) {
            lines.add((bind.isWritable() ? "BindPaths=" : "BindReadOnlyPaths=") + path(bind.target()));
        }
        if (policy.clock() == ClockSource.TZDATA) {
            BwrapTarget.ZONE_FILES.forEach(file -> lines.add("BindReadOnlyPaths=-" + file));
        }
        for (Element.IpcRule rule : policy.ipc()) {
            String endpoint = rule.endpoint().text();
            if (rule.endpoint().socket().isPresent()) {
                lines.add("BindPaths=-" + path(rule.endpoint().socket().get()));
            } else if (endpoint.equals("x11")) {
                lines.add("BindReadOnlyPaths=-" + BwrapTarget.X11_SOCKETS);
            } else if (endpoint.equals("dbus:system")) {
                lines.add("BindPaths=-" + BwrapTarget.SYSTEM_BUS);
            } else {
                notes.add(BwrapTarget.unknownEndpoint(endpoint));
            }
        }
    }

    private static void network(Policy policy, List<String> lines, Notes notes) {
        List<Element.NetRule> usable =
                policy.net().stream().filter(SystemdTarget::isExpressible).toList();
        boolean needsUnix = !policy.ipc().isEmpty();
        if (usable.isEmpty()) {
            lines.add("PrivateNetwork=yes");
            lines.add("RestrictAddressFamilies=" + (needsUnix ? "AF_UNIX" : "none"));
            if (!policy.net().isEmpty()) {
                notes.add("systemd filters addresses, not names: the network is off, use a proxy for the listed hosts");
            }
            return;
        }
        lines.add("RestrictAddressFamilies=AF_INET AF_INET6" + (needsUnix ? " AF_UNIX" : ""));
        boolean isOpen = usable.stream().anyMatch(rule -> rule.host().form() == Host.Form.ANY);
        if (isOpen) {
            lines.add("IPAddressDeny=" + String.join(" ", EgressTarget.PRIVATE_V4) + " "
                    + String.join(" ", EgressTarget.PRIVATE_V6));
        } else {
            lines.add("IPAddressDeny=any");
        }
        List<String> addresses = usable.stream()
                .filter(rule -> rule.host().isAddress())
                .map(rule -> rule.host().text())
                .distinct()
                .toList();
        if (!addresses.isEmpty()) {
            lines.add("IPAddressAllow=" + String.join(" ", addresses));
        }
        notes.add("address filters need a kernel and a manager with BPF; systemd warns when they cannot be installed");
    }

    private static boolean isExpressible(Element.NetRule rule) {
        return rule.host().form() == Host.Form.ANY || rule.host().isAddress();
    }

    /// Blanks, quotes, colons, backslashes and specifiers mean something to systemd; few paths hold them.
    private static String path(String path) {
        boolean plain = path.chars().noneMatch(c -> " :\\\"'".indexOf(c) >= 0);
        if (!plain) {
            throw new CompilationError(
                    Code.ADAPTER_PATH,
                    "systemd cannot bind '" + path + "': it holds a blank, quote, colon or backslash");
        }
        return path.replace("%", "%%");
    }

    private static Coverage cover(BindRows binds, Element element) {
        return switch (element) {
            case Element.FsRoot root -> binds.of(root);
            case Element.NetRule rule -> net(rule);
            case Element.ExecRule rule ->
                Coverage.unenforceable(rule, "any program in the bound directories can be run");
            case Element.EnvRule rule -> Coverage.host(rule, "passed by name from the manager's environment");
            case Element.IpcRule rule -> BwrapTarget.ipcCoverage(rule);
            case Element.ClockRule rule -> Coverage.enforced(rule, BwrapTarget.clockDetail(rule));
            case Element.Assertion assertion -> Coverage.host(assertion, Rows.PROMISE);
        };
    }

    private static Coverage net(Element.NetRule rule) {
        if (!isExpressible(rule)) {
            return Coverage.unenforceable(rule, "systemd filters addresses, not names; it stays closed");
        }
        return rule.port().isPresent()
                ? Coverage.widened(rule, "systemd filters addresses, not ports: every port is open")
                : Coverage.enforced(rule, "allowed by the service's address filter");
    }
}
