package dev.capsem.cli.capgate;

import dev.capsem.policy.Compilation;
import dev.capsem.policy.artifact.Artifact;
import dev.capsem.policy.egress.EgressKind;
import dev.capsem.policy.lowering.LoweringOptions;
import dev.capsem.policy.lowering.LoweringTarget;
import dev.capsem.source.json.JsonValue;
import dev.capsem.source.json.JsonWriter;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// Compares a stored artifact with what the manifest compiles to now.
final class ArtifactCheck {
    private ArtifactCheck() {}

    static List<String> differences(JsonValue found, Compilation compilation, CompileRequest request) {
        if (!(found instanceof JsonValue.Members artifact)) {
            throw new ManifestInput.Unreadable("the artifact is not a JSON object");
        }
        LoweringOptions options = request.lowering();
        LoweringTarget target = request.targets().isEmpty()
                ? guess(artifact)
                : request.targets().getFirst();
        if (target == LoweringTarget.EGRESS) {
            options = options.with(text(artifact, "target")
                    .map(EgressKind::of)
                    .orElse(request.lowering().egress()));
        }
        Artifact expected = CapgateProgram.lower(compilation, target, options);
        JsonValue.Members wanted =
                artifact.map().containsKey("coverage") ? expected.toJsonWithCoverage() : expected.toJson();
        return compare(artifact, wanted);
    }

    private static List<String> compare(JsonValue.Members found, JsonValue.Members wanted) {
        List<String> differences = new ArrayList<>();
        Set<String> names = new LinkedHashSet<>(wanted.map().keySet());
        names.addAll(found.map().keySet());
        for (String name : names) {
            Optional<JsonValue> left = found.get(name);
            Optional<JsonValue> right = wanted.get(name);
            if (left.isEmpty() || right.isEmpty()) {
                differences.add("'" + name + "' is only in the " + (left.isEmpty() ? "new" : "stored") + " artifact");
            } else if (!JsonWriter.compact(left.get()).equals(JsonWriter.compact(right.get()))) {
                differences.add("'" + name + "' differs");
            }
        }
        return differences;
    }

    /// Document and egress artifacts name their target; the two flag lists are told apart by how they begin.
    private static LoweringTarget guess(JsonValue.Members artifact) {
        Optional<String> named = text(artifact, "target");
        if (named.isPresent()) {
            return LoweringTarget.of(named.get()).orElse(LoweringTarget.EGRESS);
        }
        boolean isDocker = artifact.get("argv")
                .filter(argv -> argv instanceof JsonValue.Items items
                        && !items.list().isEmpty()
                        && items.list().getFirst() instanceof JsonValue.Text first
                        && first.value().equals("--rm"))
                .isPresent();
        return isDocker ? LoweringTarget.DOCKER : LoweringTarget.BWRAP;
    }

    private static Optional<String> text(JsonValue.Members members, String name) {
        return members.get(name)
                .flatMap(value -> value instanceof JsonValue.Text text ? Optional.of(text.value()) : Optional.empty());
    }
}
