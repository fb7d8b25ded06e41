package dev.capsem.policy.review;

import dev.capsem.policy.grammar.Capability;
import dev.capsem.policy.grammar.ClockSource;
import dev.capsem.policy.grammar.EnvAction;
import dev.capsem.policy.grammar.FsAction;
import dev.capsem.policy.ir.Element;
import dev.capsem.policy.ir.Policy;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// Whether a policy already grants all that a capability asks for. Assertions ask for nothing.
///
/// Roots and hosts are looked up by name, so that manifests of many thousand capabilities compare in linear time.
final class Containment {
    private final Map<String, List<Element.FsRoot>> rootsByKey = new HashMap<>();
    private final Map<String, List<Element.NetRule>> rulesByHost = new HashMap<>();
    private final Set<Element> named;
    private final ClockSource clock;

    Containment(Policy policy) {
        policy.fs()
                .forEach(root -> rootsByKey
                        .computeIfAbsent(root.path().key(), ignored -> new ArrayList<>())
                        .add(root));
        policy.net()
                .forEach(rule -> rulesByHost
                        .computeIfAbsent(rule.host().lower(), ignored -> new ArrayList<>())
                        .add(rule));
        this.named = new HashSet<>(policy.elements());
        this.clock = policy.clock();
    }

    boolean grants(Capability capability) {
        return switch (capability) {
            case Capability.Fs fs -> fs(fs);
            case Capability.Net net -> candidates(net).stream().anyMatch(rule -> covers(rule, net));
            case Capability.Exec exec -> named.contains(new Element.ExecRule(exec.binary()));
            case Capability.Env env ->
                env.actions().stream()
                        .allMatch(action -> named.contains(new Element.EnvRule(env.name(), action))
                                || named.contains(new Element.EnvRule(env.name(), EnvAction.INJECT)));
            case Capability.Ipc ipc -> named.contains(new Element.IpcRule(ipc.endpoint()));
            case Capability.Clock wanted -> clock.compareTo(wanted.source()) >= 0;
            case Capability.Assert ignored -> true;
        };
    }

    private boolean fs(Capability.Fs fs) {
        EnumSet<FsAction> missing = EnumSet.copyOf(FsAction.closure(EnumSet.copyOf(fs.actions())));
        String key = fs.path().key();
        // A tree also covers the directory at its top.
        removeGranted(missing, fs.path().text() + "/");
        removeGranted(missing, key);
        for (int slash = key.indexOf('/'); slash >= 0; slash = key.indexOf('/', slash + 1)) {
            removeGranted(missing, key.substring(0, slash + 1));
        }
        return missing.isEmpty();
    }

    private void removeGranted(EnumSet<FsAction> missing, String key) {
        rootsByKey.getOrDefault(key, List.of()).forEach(root -> missing.removeAll(root.actions()));
    }

    /// The rules for this host, for any host, and for every domain above it.
    private List<Element.NetRule> candidates(Capability.Net net) {
        String host = net.host().lower();
        List<Element.NetRule> found = new ArrayList<>(rulesByHost.getOrDefault(host, List.of()));
        found.addAll(rulesByHost.getOrDefault("*", List.of()));
        for (int dot = host.indexOf('.'); dot >= 0; dot = host.indexOf('.', dot + 1)) {
            found.addAll(rulesByHost.getOrDefault("*" + host.substring(dot), List.of()));
        }
        return found;
    }

    private static boolean covers(Element.NetRule outer, Capability.Net inner) {
        boolean opensPrivate = outer.blockPrivate() && !inner.host().blockPrivate();
        return inner.host().isCoveredBy(outer.host())
                && (outer.port().isEmpty() || outer.port().equals(inner.port()))
                && !opensPrivate;
    }
}
