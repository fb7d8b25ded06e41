package dev.capsem.policy.review;

import dev.capsem.policy.artifact.Coverage;
import dev.capsem.policy.diagnostic.Code;
import dev.capsem.policy.diagnostic.CompilationError;
import dev.capsem.policy.egress.EgressKind;
import dev.capsem.policy.ir.Element;
import dev.capsem.policy.ir.Policy;
import dev.capsem.policy.lowering.LoweringOptions;
import dev.capsem.policy.lowering.LoweringTarget;
import dev.capsem.source.json.JsonValue;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// Every capability of a policy against every target: who keeps it, who widens it, who cannot.
///
/// @param rows for each printed capability, the coverage by target name, in the order of the targets
public record CoverageTable(List<String> targets, Map<String, Map<String, Coverage>> rows) {
    public static CoverageTable of(Policy policy, LoweringOptions options) {
        Map<String, LoweringOptions> columns = new LinkedHashMap<>();
        Map<String, LoweringTarget> targets = new LinkedHashMap<>();
        for (LoweringTarget target : LoweringTarget.values()) {
            if (target == LoweringTarget.EGRESS) {
                for (EgressKind kind : EgressKind.values()) {
                    targets.put(kind.word(), target);
                    columns.put(kind.word(), options.permissive().with(kind));
                }
            } else {
                targets.put(target.word(), target);
                columns.put(target.word(), options.permissive());
            }
        }
        Map<String, Map<String, Coverage>> rows = new LinkedHashMap<>();
        policy.elements().forEach(element -> rows.put(element.print(), new LinkedHashMap<>()));
        targets.forEach((name, target) -> {
            for (Coverage row : coverage(policy, target, columns.getOrDefault(name, options))) {
                rows.computeIfAbsent(row.element().print(), ignored -> new LinkedHashMap<>())
                        .put(name, row);
            }
        });
        return new CoverageTable(new ArrayList<>(targets.keySet()), rows);
    }

    /// A target that cannot spell a path keeps nothing of the policy.
    private static List<Coverage> coverage(Policy policy, LoweringTarget target, LoweringOptions options) {
        try {
            return target.lower(policy, options).coverage();
        } catch (CompilationError e) {
            if (e.code() != Code.ADAPTER_PATH) {
                throw e;
            }
            List<Coverage> rows = new ArrayList<>();
            for (Element element : policy.elements()) {
                rows.add(new Coverage(
                        element,
                        Coverage.Status.UNENFORCEABLE,
                        e.problems().getFirst().text()));
            }
            return rows;
        }
    }

    public JsonValue toJson() {
        JsonValue.Builder json = JsonValue.members();
        rows.forEach((capability, byTarget) -> {
            JsonValue.Builder row = JsonValue.members();
            byTarget.forEach((target, coverage) -> row.put(
                    target,
                    JsonValue.members().put("status", coverage.status().word()).put("detail", coverage.detail())));
            json.put(capability, row);
        });
        return json.build();
    }
}
