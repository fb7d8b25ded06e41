package dev.capsem.policy.ir;

import dev.capsem.policy.grammar.ClockSource;
import dev.capsem.policy.grammar.Kind;
import dev.capsem.source.json.JsonValue;
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
        Optional<ArtifactProvenance> provenance) {

    public Policy {
        fs = List.copyOf(fs);
        net = List.copyOf(net);
        exec = List.copyOf(exec);
        env = List.copyOf(env);
        ipc = List.copyOf(ipc);
        assertions = List.copyOf(assertions);
    }

    public Policy with(ArtifactProvenance added) {
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

    public JsonValue.Members toJson() {
        JsonValue.Builder json = JsonValue.members()
                .put("server", JsonValue.members().put("name", serverName).put("version", serverVersion))
                .put("fs", JsonValue.items(fs, Element::toJson))
                .put("net", JsonValue.items(net, Element::toJson))
                .put("exec", JsonValue.items(exec, Element::toJson))
                .put("env", JsonValue.items(env, Element::toJson))
                .put("ipc", JsonValue.items(ipc, Element::toJson))
                .put("clock", clock.word())
                .put("assertions", JsonValue.items(assertions, Element::toJson))
                .put("nestedSandbox", nestedSandbox);
        provenance.ifPresent(block -> json.put("provenance", block.toJson()));
        return json.build();
    }
}
