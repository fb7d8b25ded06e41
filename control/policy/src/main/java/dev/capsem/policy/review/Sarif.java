package dev.capsem.policy.review;

import dev.capsem.policy.diagnostic.Location;
import dev.capsem.policy.ir.Provenance;
import dev.capsem.policy.json.Json;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Findings as SARIF 2.1.0, which code hosts show beside the changed line.
public final class Sarif {
    private Sarif() {}

    /// A finding and the file it points into.
    public record Located(Finding finding, String file) {}

    public static Json report(List<Located> findings) {
        List<Json> rules = new ArrayList<>();
        for (LintRule rule : LintRule.values()) {
            rules.add(rule(rule.id(), rule.meaning(), rule.severity()));
        }
        rules.add(rule(PolicyDiff.Direction.WIDENED.ruleId(), "a grant was added", Severity.ERROR));
        rules.add(rule(PolicyDiff.Direction.NARROWED.ruleId(), "a grant was taken away", Severity.NOTE));
        Json.Builder driver = Json.members().put("name", "capgate").put("rules", Json.items(rules, rule -> rule));
        Json run = Json.members()
                .put("tool", Json.members().put("driver", driver))
                .put("columnKind", "utf16CodeUnits")
                .put("results", Json.items(findings, Sarif::result))
                .build();
        return Json.members()
                .put("$schema", "https://json.schemastore.org/sarif-2.1.0.json")
                .put("version", "2.1.0")
                .put("runs", Json.items(List.of(run), value -> value))
                .build();
    }

    private static Json rule(String id, String meaning, Severity severity) {
        return Json.members()
                .put("id", id)
                .put("shortDescription", Json.members().put("text", meaning))
                .put("defaultConfiguration", Json.members().put("level", severity.word()))
                .build();
    }

    private static Json result(Located located) {
        Finding finding = located.finding();
        return Json.members()
                .put("ruleId", finding.ruleId())
                .put("level", finding.severity().word())
                .put("message", Json.members().put("text", finding.text()))
                .put("locations", Json.items(List.of(located), Sarif::location))
                .put("partialFingerprints", Json.members().put("capgate/v1", fingerprint(finding)))
                .build();
    }

    private static Json location(Located located) {
        Optional<Location> place = located.finding().location();
        Json.Builder physical = Json.members()
                .put("artifactLocation", Json.members().put("uri", located.file()))
                .put(
                        "region",
                        Json.members()
                                .put("startLine", place.map(Location::line).orElse(1))
                                .put("startColumn", place.map(Location::column).orElse(1)));
        Json.Builder location = Json.members().put("physicalLocation", physical);
        place.filter(found -> !found.pointer().isEmpty())
                .ifPresent(found -> location.put(
                        "logicalLocations",
                        Json.items(
                                List.of(found.pointer()),
                                pointer -> Json.members()
                                        .put("fullyQualifiedName", pointer)
                                        .build())));
        return location.build();
    }

    /// The same finding keeps its fingerprint when lines move, so an alert is not raised twice.
    private static String fingerprint(Finding finding) {
        return Provenance.of(Json.members()
                        .put("rule", finding.ruleId())
                        .put("owner", finding.owner())
                        .put("subject", finding.subject())
                        .build())
                .manifestHash();
    }
}
