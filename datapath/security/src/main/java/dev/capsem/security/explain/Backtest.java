package dev.capsem.security.explain;

import dev.capsem.events.security.Decision;
import dev.capsem.events.security.Evaluation;
import dev.capsem.events.security.RuleId;
import dev.capsem.events.security.SecurityEvent;
import dev.capsem.events.security.SecurityEventJson;
import dev.capsem.security.RuleSnapshot;
import dev.capsem.security.SecurityEngine;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/// Shows what a set of rules would have done to events that already happened.
public final class Backtest {
    public static final int ROWS_MAX = 100;

    /// An event of the past.
    ///
    /// @param decision what was decided then, if it is known
    public record Recorded(SecurityEvent event, Optional<Decision> decision) {}

    /// Events with the same evidence, of which one is shown.
    ///
    /// @param before as recorded
    /// @param occurrences how many such events there were
    public record Row(
            SecurityEvent event, Optional<Decision> before, Evaluation after, int occurrences, boolean isChanged) {}

    /// @param total events judged
    /// @param unique different ones among them
    /// @param changed events that would be decided otherwise
    /// @param decidedBy events per rule
    /// @param rows one per different event, changed ones first, at most the limit
    public record Report(
            int total, int unique, int changed, Map<RuleId, Integer> decidedBy, List<Row> rows, boolean isTruncated) {
        public Report {
            decidedBy = Map.copyOf(decidedBy);
            rows = List.copyOf(rows);
        }
    }

    private Backtest() {}

    public static Report run(RuleSnapshot snapshot, Iterable<Recorded> events, int rowsMax) {
        SecurityEngine engine = new SecurityEngine(snapshot);
        Map<String, Row> unique = new LinkedHashMap<>();
        Map<RuleId, Integer> decidedBy = new TreeMap<>();
        int total = 0;
        int changed = 0;
        for (Recorded recorded : events) {
            Evaluation after = engine.evaluate(recorded.event());
            boolean differs =
                    recorded.decision().isPresent() && recorded.decision().get() != after.decision();
            total++;
            changed += differs ? 1 : 0;
            after.rule().ifPresent(rule -> decidedBy.merge(rule, 1, Integer::sum));
            Row row = new Row(recorded.event(), recorded.decision(), after, 1, differs);
            unique.merge(
                    evidence(recorded),
                    row,
                    (first, _) -> new Row(
                            first.event(), first.before(), first.after(), first.occurrences() + 1, first.isChanged()));
        }
        List<Row> rows = unique.values().stream()
                .sorted((left, right) -> Boolean.compare(right.isChanged(), left.isChanged()))
                .limit(rowsMax)
                .toList();
        return new Report(total, unique.size(), changed, decidedBy, rows, unique.size() > rows.size());
    }

    /// A digest of what the event was about and how it was decided; not when.
    private static String evidence(Recorded recorded) {
        String text =
                recorded.event().type().wireName() + recorded.decision() + SecurityEventJson.subject(recorded.event());
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest);
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException("every JDK has SHA-256", impossible);
        }
    }
}
