package dev.capsem.bench;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import tools.jackson.databind.JsonNode;

/// Two runs side by side. Rows of programs that nobody here wrote tell how far two runs differ by themselves; what is
/// ours counts as slower only beyond that.
///
/// @param noise a share: how much slower a row may be without meaning anything
/// @param slower rows beyond it, the worst first
/// @param compared how many rows of ours both runs have
record BenchComparison(double noise, List<Change> slower, int compared) {
    /// Less than this no two runs of one program on one machine agree.
    private static final double NOISE_MIN = 0.15;

    /// Names of rows begin with the name of whoever was measured.
    private static final List<String> PEERS = List.of(
            "direct",
            "LittleProxy",
            "mitmproxy",
            "bwrap alone",
            "srt",
            "codex sandbox",
            "event, direct",
            "mcp echo, direct",
            "mcp echo, mcp-proxy");

    /// Units of which less is better.
    private static final Set<String> COSTS = Set.of("s", "ms", "µs", "ns", "MB");

    /// Units of which more is better. What has another unit is a count, which is neither.
    private static final Set<String> RATES =
            Set.of("requests/s", "calls/s", "rows/s", "exchanges/s", "answers/s", "events/s", "MiB/s", "times");

    /// @param share how much slower: 0.5 = half as slow again
    record Change(String name, double before, double after, String unit, double share) {
        @Override
        public String toString() {
            return String.format(
                    Locale.ROOT, "%-48s %.2f -> %.2f %s (%.0f %% slower)", name, before, after, unit, share * 100);
        }
    }

    private record Row(double value, String unit) {
        /// As time is: more is worse.
        double cost() {
            return RATES.contains(unit) ? 1 / value : value;
        }
    }

    static BenchComparison of(JsonNode before, JsonNode after) {
        Map<String, Row> old = rows(before);
        List<Double> drifts = new ArrayList<>();
        List<Change> ours = new ArrayList<>();
        rows(after).forEach((name, now) -> {
            Row then = old.get(name);
            if (then == null || !then.unit.equals(now.unit) || then.value <= 0 || now.value <= 0) {
                return;
            }
            double share = now.cost() / then.cost() - 1;
            if (isOfAPeer(name)) {
                drifts.add(Math.abs(share));
            } else {
                ours.add(new Change(name, then.value, now.value, now.unit, share));
            }
        });
        double noise = Math.max(NOISE_MIN, 2 * median(drifts));
        List<Change> slower = ours.stream()
                .filter(change -> change.share > noise)
                .sorted((one, other) -> Double.compare(other.share, one.share))
                .toList();
        return new BenchComparison(noise, slower, ours.size());
    }

    /// By name; of a latency its p50, as a p99 of a few rounds is chance.
    private static Map<String, Row> rows(JsonNode report) {
        Map<String, Row> rows = new LinkedHashMap<>();
        for (JsonNode row : report.path("results")) {
            JsonNode value = row.has("p50") ? row.path("p50") : row.path("value");
            String unit = row.path("unit").asString("");
            // A rate and a latency of one thing have one name.
            if (value.isNumber() && (RATES.contains(unit) || COSTS.contains(unit))) {
                rows.put(
                        row.path("name").asString("") + (row.has("p50") ? ", p50" : ""),
                        new Row(value.asDouble(), unit));
            }
        }
        return rows;
    }

    /// A ratio of ours to a peer's is ours.
    private static boolean isOfAPeer(String name) {
        return PEERS.stream().anyMatch(name::startsWith);
    }

    private static double median(List<Double> values) {
        List<Double> sorted = values.stream().sorted().toList();
        return sorted.isEmpty() ? 0 : sorted.get(sorted.size() / 2);
    }

    boolean isSlower() {
        return !slower.isEmpty();
    }
}
