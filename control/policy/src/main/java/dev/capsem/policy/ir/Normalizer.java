package dev.capsem.policy.ir;

import dev.capsem.policy.grammar.Capability;
import dev.capsem.policy.grammar.ClockSource;
import dev.capsem.policy.grammar.EnvAction;
import dev.capsem.policy.grammar.FsAction;
import dev.capsem.policy.grammar.FsPath;
import dev.capsem.policy.grammar.IpcEndpoint;
import dev.capsem.policy.grammar.TextOrder;
import java.util.Collection;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/// Unions capabilities into one policy: server-level and tool-level alike, since they share one sandbox.
public final class Normalizer {
    private static final Comparator<Element.NetRule> NET_ORDER = Comparator.comparing(
                    (Element.NetRule rule) -> rule.host().text(), TextOrder.INSTANCE)
            .thenComparingInt(rule -> rule.port().orElse(0));

    private final Map<FsPath, EnumSet<FsAction>> fs = new LinkedHashMap<>();
    private final Map<String, Element.NetRule> net = new LinkedHashMap<>();
    private final Map<String, Element.ExecRule> exec = new TreeMap<>(TextOrder.INSTANCE);
    private final Map<String, EnvAction> env = new TreeMap<>(TextOrder.INSTANCE);
    private final Map<String, IpcEndpoint> ipc = new TreeMap<>(TextOrder.INSTANCE);
    private final Map<String, Element.Assertion> assertions = new TreeMap<>(TextOrder.INSTANCE);
    private ClockSource clock = ClockSource.NONE;
    private boolean nestedSandbox;

    private Normalizer() {}

    public static Policy normalize(
            String serverName, String serverVersion, Collection<? extends Capability> capabilities, MergeMode mode) {
        Normalizer normalizer = new Normalizer();
        capabilities.forEach(normalizer::add);
        return normalizer.policy(serverName, serverVersion, mode);
    }

    private void add(Capability capability) {
        nestedSandbox |= capability.refinements().nestedSandbox();
        switch (capability) {
            case Capability.Fs f ->
                fs.computeIfAbsent(f.path(), ignored -> EnumSet.noneOf(FsAction.class))
                        .addAll(f.actions());
            case Capability.Net n ->
                net.putIfAbsent(
                        n.host().text() + " " + n.port().orElse(0),
                        new Element.NetRule(n.host(), n.port(), n.host().blockPrivate()));
            case Capability.Exec e -> exec.putIfAbsent(e.binary(), new Element.ExecRule(e.binary()));
            case Capability.Env e ->
                e.actions().forEach(action -> env.merge(e.name(), action, (a, b) -> a.compareTo(b) >= 0 ? a : b));
            case Capability.Ipc i -> ipc.putIfAbsent(i.endpoint().text(), i.endpoint());
            case Capability.Clock c -> clock = c.source().compareTo(clock) > 0 ? c.source() : clock;
            case Capability.Assert a -> assertions.put(a.id(), new Element.Assertion(a.id(), a.description()));
        }
    }

    private Policy policy(String serverName, String serverVersion, MergeMode mode) {
        List<Element.EnvRule> variables = env.entrySet().stream()
                .map(entry -> new Element.EnvRule(entry.getKey(), entry.getValue()))
                .toList();
        return new Policy(
                serverName,
                serverVersion,
                FsMerge.merge(fs, mode),
                net.values().stream().sorted(NET_ORDER).toList(),
                List.copyOf(exec.values()),
                variables,
                ipc.values().stream().map(Element.IpcRule::new).toList(),
                clock,
                List.copyOf(assertions.values()),
                nestedSandbox,
                Optional.empty());
    }
}
