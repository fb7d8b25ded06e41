package dev.capsem.policy.artifact;

import dev.capsem.policy.diagnostic.Code;
import dev.capsem.policy.diagnostic.CompilationError;
import dev.capsem.policy.diagnostic.Diagnostic;
import dev.capsem.policy.grammar.Kind;
import dev.capsem.policy.ir.Element;
import dev.capsem.policy.ir.Policy;
import dev.capsem.source.json.JsonValue;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/// The check at the start of each lowering: does the target know every kind of capability the policy holds?
public final class Support {
    private Support() {}

    /// Fails in strict mode when a kind is unknown to the adapter.
    public static void assertSupported(String adapter, Policy policy, Set<Kind> supported) {
        List<Kind> unsupported = missing(policy, supported);
        if (unsupported.isEmpty()) {
            return;
        }
        throw new CompilationError(Diagnostic.of(
                        Code.ADAPTER_UNSUPPORTED,
                        "target '" + adapter + "' cannot lower " + quoted(unsupported)
                                + "; lower these for another target too, or use --permissive to leave them out")
                .with(JsonValue.members()
                        .put("adapter", adapter)
                        .put("unsupported", words(unsupported))
                        .put("present", words(policy.kinds()))
                        .put("supported", words(supported))
                        .build()));
    }

    /// Strict: fails. Permissive: leaves a note for every kind that is left out.
    public static void check(String adapter, Policy policy, Set<Kind> supported, boolean strict, Notes notes) {
        if (strict) {
            assertSupported(adapter, policy, supported);
        }
        for (Kind kind : missing(policy, supported)) {
            notes.add("left out: target '" + adapter + "' has no way to express '" + kind.word()
                    + "' capabilities; enforce them elsewhere");
        }
    }

    /// Rows for the kinds that the target leaves out.
    public static List<Coverage> leftOut(String adapter, Policy policy, Set<Kind> supported) {
        List<Coverage> rows = new ArrayList<>();
        for (Element element : policy.elements()) {
            if (!supported.contains(element.kind())) {
                rows.add(Coverage.unenforceable(
                        element,
                        adapter + " has no way to express " + element.kind().word() + " capabilities"));
            }
        }
        return rows;
    }

    private static List<Kind> missing(Policy policy, Set<Kind> supported) {
        return policy.kinds().stream().filter(kind -> !supported.contains(kind)).toList();
    }

    private static List<String> words(Collection<Kind> kinds) {
        return kinds.stream().sorted().map(Kind::word).toList();
    }

    private static String quoted(Collection<Kind> kinds) {
        return kinds.stream().map(kind -> "'" + kind.word() + "'").collect(Collectors.joining(", "));
    }
}
