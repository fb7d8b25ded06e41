package dev.capsem.policy.review;

import dev.capsem.policy.diagnostic.Location;
import dev.capsem.policy.ir.ArtifactProvenance;
import dev.capsem.source.json.JsonValue;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Findings as SARIF 2.1.0, which code hosts show beside the changed line.
public final class Sarif {
    private Sarif() {}

    /// A finding and the file it points into.
    public record Located(ReviewFinding finding, String file) {}

    public static JsonValue report(List<Located> findings) {
        List<JsonValue> rules = new ArrayList<>();
        for (LintRule rule : LintRule.values()) {
            rules.add(rule(rule.id(), rule.meaning(), rule.severity()));
        }
        rules.add(rule(PolicyDiff.Direction.WIDENED.ruleId(), "a grant was added", ReviewLevel.ERROR));
        rules.add(rule(PolicyDiff.Direction.NARROWED.ruleId(), "a grant was taken away", ReviewLevel.NOTE));
        JsonValue.Builder driver =
                JsonValue.members().put("name", "capgate").put("rules", JsonValue.items(rules, rule -> rule));
        JsonValue run = JsonValue.members()
                .put("tool", JsonValue.members().put("driver", driver))
                .put("columnKind", "utf16CodeUnits")
                .put("results", JsonValue.items(findings, Sarif::result))
                .build();
        return JsonValue.members()
                .put("$schema", "https://json.schemastore.org/sarif-2.1.0.json")
                .put("version", "2.1.0")
                .put("runs", JsonValue.items(List.of(run), value -> value))
                .build();
    }

    private static JsonValue rule(String id, String meaning, ReviewLevel severity) {
        return JsonValue.members()
                .put("id", id)
                .put("shortDescription", JsonValue.members().put("text", meaning))
                .put("defaultConfiguration", JsonValue.members().put("level", severity.word()))
                .build();
    }

    private static JsonValue result(Located located) {
        ReviewFinding finding = located.finding();
        return JsonValue.members()
                .put("ruleId", finding.ruleId())
                .put("level", finding.severity().word())
                .put("message", JsonValue.members().put("text", finding.text()))
                .put("locations", JsonValue.items(List.of(located), Sarif::location))
                .put("partialFingerprints", JsonValue.members().put("capgate/v1", fingerprint(finding)))
                .build();
    }

    private static JsonValue location(Located located) {
        Optional<Location> place = located.finding().location();
        JsonValue.Builder physical = JsonValue.members()
                .put("artifactLocation", JsonValue.members().put("uri", located.file()))
                .put(
                        "region",
                        JsonValue.members()
                                .put("startLine", place.map(Location::line).orElse(1))
                                .put("startColumn", place.map(Location::column).orElse(1)));
        JsonValue.Builder location = JsonValue.members().put("physicalLocation", physical);
        place.filter(found -> !found.pointer().isEmpty())
                .ifPresent(found -> location.put(
                        "logicalLocations",
                        JsonValue.items(
                                List.of(found.pointer()),
                                pointer -> JsonValue.members()
                                        .put("fullyQualifiedName", pointer)
                                        .build())));
        return location.build();
    }

    /// The same finding keeps its fingerprint when lines move, so an alert is not raised twice.
    private static String fingerprint(ReviewFinding finding) {
        return ArtifactProvenance.of(JsonValue.members()
                        .put("rule", finding.ruleId())
                        .put("owner", finding.owner())
                        .put("subject", finding.subject())
                        .build())
                .manifestHash();
    }
}
