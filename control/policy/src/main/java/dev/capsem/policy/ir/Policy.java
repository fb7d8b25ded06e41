package dev.capsem.policy.ir;

import dev.capsem.policy.grammar.ClockSource;
import dev.capsem.policy.grammar.Kind;
import dev.capsem.policy.json.Json;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// What one server may touch. Every list is merged and in [dev.capsem.policy.grammar.TextOrder].
public record Policy(
        String serverName,
        String serverVersion,
        List<Element.FsRoot> fs,
        List<Element.NetRule> net,
        List<Element.ExecRule> exec,
        List<Element.EnvRule> env,
        List<Element.IpcRule> ipc,
        ClockSource clock,
        List<Element.Assertion> assertions,
        boolean nestedSandbox,
        Optional<Provenance> provenance) {

    public Policy {
        fs = List.copyOf(fs);
        net = List.copyOf(net);
        exec = List.copyOf(exec);
        env = List.copyOf(env);
        ipc = List.copyOf(ipc);
        assertions = List.copyOf(assertions);
    }

    public Policy with(Provenance added) {
        return new Policy(
                serverName,
                serverVersion,
                fs,
                net,
                exec,
                env,
                ipc,
                clock,
                assertions,
                nestedSandbox,
                Optional.of(added));
    }

    /// Every entry, kind by kind.
    public List<Element> elements() {
        List<Element> all = new ArrayList<>();
        all.addAll(fs);
        all.addAll(net);
        all.addAll(exec);
        all.addAll(env);
        all.addAll(ipc);
        if (clock != ClockSource.NONE) {
            all.add(new Element.ClockRule(clock));
        }
        all.addAll(assertions);
        return all;
    }

    /// The kinds that occur, in canonical order.
    public Set<Kind> kinds() {
        EnumSet<Kind> kinds = EnumSet.noneOf(Kind.class);
        elements().forEach(element -> kinds.add(element.kind()));
        return kinds;
    }

    public Json.Members toJson() {
        Json.Builder json = Json.members()
                .put("server", Json.members().put("name", serverName).put("version", serverVersion))
                .put("fs", Json.items(fs, Element::toJson))
                .put("net", Json.items(net, Element::toJson))
                .put("exec", Json.items(exec, Element::toJson))
                .put("env", Json.items(env, Element::toJson))
                .put("ipc", Json.items(ipc, Element::toJson))
                .put("clock", clock.word())
                .put("assertions", Json.items(assertions, Element::toJson))
                .put("nestedSandbox", nestedSandbox);
        provenance.ifPresent(block -> json.put("provenance", block.toJson()));
        return json.build();
    }
}
