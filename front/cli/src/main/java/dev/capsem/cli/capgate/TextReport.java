package dev.capsem.cli.capgate;

import dev.capsem.policy.artifact.Coverage;
import dev.capsem.policy.diagnostic.Location;
import dev.capsem.policy.review.CoverageTable;
import dev.capsem.policy.review.PolicyDiff;
import dev.capsem.policy.review.ReviewFinding;
import dev.capsem.policy.review.ReviewLevel;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/// Reports for people: plain lines that read well in a terminal and, as a Markdown list, in a pull request.
final class TextReport {
    private TextReport() {}

    static String findings(List<ReviewFinding> findings, String file) {
        if (findings.isEmpty()) {
            return "no findings";
        }
        List<String> lines = new ArrayList<>();
        for (ReviewLevel severity : ReviewLevel.values()) {
            findings.stream()
                    .filter(finding -> finding.severity() == severity)
                    .forEach(finding -> lines.add(line(finding, file)));
        }
        lines.add("");
        lines.add(count(findings, ReviewLevel.ERROR) + ", " + count(findings, ReviewLevel.WARNING) + ", "
                + count(findings, ReviewLevel.NOTE));
        return String.join("\n", lines);
    }

    private static String line(ReviewFinding finding, String file) {
        return "- " + finding.severity().word() + " `" + ManifestText.of(finding.subject()) + "` ("
                + ManifestText.of(finding.owner()) + ", " + place(finding, file) + ")\n  "
                + ManifestText.of(finding.text())
                + " [" + finding.ruleId() + "]";
    }

    private static String place(ReviewFinding finding, String file) {
        return file + finding.location().map(TextReport::place).orElse("");
    }

    private static String place(Location location) {
        return ":" + location.line() + ":" + location.column();
    }

    private static String count(List<ReviewFinding> findings, ReviewLevel severity) {
        long count = findings.stream()
                .filter(finding -> finding.severity() == severity)
                .count();
        return count + " " + severity.word() + (count == 1 ? "" : "s");
    }

    static String diff(PolicyDiff diff, String before, String after) {
        List<String> lines = new ArrayList<>();
        lines.add("**" + diff.comparison().word() + "**: " + before + " → " + after);
        for (PolicyDiff.Direction direction : PolicyDiff.Direction.values()) {
            String file = direction == PolicyDiff.Direction.WIDENED ? after : before;
            String sign = direction == PolicyDiff.Direction.WIDENED ? "+" : "−";
            diff.changes().stream()
                    .filter(change -> change.direction() == direction)
                    .forEach(change -> lines.add("- " + sign + " `"
                            + ManifestText.of(change.finding().subject()) + "` ("
                            + ManifestText.of(change.finding().owner()) + ", " + place(change.finding(), file) + "): "
                            + ManifestText.of(change.finding().text())));
        }
        return String.join("\n", lines);
    }

    static String coverage(CoverageTable table, List<String> targets) {
        List<String> lines = new ArrayList<>();
        table.rows().forEach((capability, byTarget) -> {
            lines.add(ManifestText.of(capability));
            for (Coverage.Status status : Coverage.Status.values()) {
                String names = targets.stream()
                        .filter(target -> byTarget.containsKey(target) && status(byTarget, target) == status)
                        .collect(Collectors.joining(", "));
                if (!names.isEmpty()) {
                    lines.add(
                            "  " + status.word() + " ".repeat(15 - status.word().length()) + names);
                }
            }
        });
        return lines.isEmpty() ? "the policy grants nothing" : String.join("\n", lines);
    }

    static String markdown(CoverageTable table, List<String> targets) {
        List<String> lines = new ArrayList<>();
        lines.add("| capability | " + String.join(" | ", targets) + " |");
        lines.add("|---|" + "---|".repeat(targets.size()));
        table.rows().forEach((capability, byTarget) -> {
            String cells = targets.stream()
                    .map(target -> byTarget.containsKey(target)
                            ? status(byTarget, target).word()
                            : "")
                    .collect(Collectors.joining(" | "));
            lines.add("| `" + ManifestText.of(capability).replace("|", "\\|") + "` | " + cells + " |");
        });
        return String.join("\n", lines);
    }

    private static Coverage.Status status(Map<String, Coverage> byTarget, String target) {
        Coverage coverage = byTarget.get(target);
        if (coverage == null) {
            throw new IllegalStateException("no coverage for " + target);
        }
        return coverage.status();
    }
}
