package dev.capsem.bench;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/// The results of one part of the bench.
sealed interface Measurement {
    String name();

    ObjectNode toJson();

    /// How long something took, many times over.
    ///
    /// @param budgetP50 in milliseconds, when the design names one
    record Latency(String name, List<Double> millis, Optional<Double> budgetP50, Optional<Double> budgetP99)
            implements Measurement {
        public Latency {
            millis = millis.stream().sorted().toList();
        }

        double percentile(double share) {
            int index = (int) Math.ceil(share * millis.size()) - 1;
            return millis.get(Math.clamp(index, 0, millis.size() - 1));
        }

        @Override
        public ObjectNode toJson() {
            ObjectNode json = JsonNodeFactory.instance.objectNode();
            json.put("name", name).put("unit", "ms").put("count", millis.size());
            json.put("p50", percentile(0.50)).put("p95", percentile(0.95)).put("p99", percentile(0.99));
            budgetP50.ifPresent(value -> json.put("budget_p50", value));
            budgetP99.ifPresent(value -> json.put("budget_p99", value));
            return json;
        }

        @Override
        public String toString() {
            return String.format(
                    Locale.ROOT,
                    "%-38s p50 %9.2f  p95 %9.2f  p99 %9.2f ms  n=%d%s",
                    name,
                    percentile(0.50),
                    percentile(0.95),
                    percentile(0.99),
                    millis.size(),
                    budgetP50
                            .map(value -> "  budget p50 " + plain(value)
                                    + budgetP99
                                            .map(p99 -> ", p99 " + plain(p99))
                                            .orElse(""))
                            .orElse(""));
        }
    }

    /// One number, for example a rate or a size.
    record Figure(String name, double value, String unit, Optional<String> budget) implements Measurement {
        @Override
        public ObjectNode toJson() {
            ObjectNode json = JsonNodeFactory.instance.objectNode();
            json.put("name", name).put("unit", unit).put("value", value);
            budget.ifPresent(text -> json.put("budget", text));
            return json;
        }

        @Override
        public String toString() {
            return String.format(
                    Locale.ROOT,
                    "%-38s %s %s%s",
                    name,
                    plain(value),
                    unit,
                    budget.map(text -> "  budget " + text).orElse(""));
        }
    }

    /// Something that could not be measured here, and why.
    record Skipped(String name, String reason) implements Measurement {
        @Override
        public ObjectNode toJson() {
            return JsonNodeFactory.instance.objectNode().put("name", name).put("skipped", reason);
        }

        @Override
        public String toString() {
            return String.format(Locale.ROOT, "%-38s skipped: %s", name, reason);
        }
    }

    /// Something that whoever it was asked of cannot do.
    record Unable(String name) implements Measurement {
        @Override
        public ObjectNode toJson() {
            return JsonNodeFactory.instance.objectNode().put("name", name).put("able", false);
        }

        @Override
        public String toString() {
            return String.format(Locale.ROOT, "%-38s -", name);
        }
    }

    /// Something that went wrong while it was measured: whoever fails has no number.
    record Failed(String name, String reason) implements Measurement {
        @Override
        public ObjectNode toJson() {
            return JsonNodeFactory.instance.objectNode().put("name", name).put("failed", reason);
        }

        @Override
        public String toString() {
            return String.format(Locale.ROOT, "%-38s failed: %s", name, reason);
        }
    }

    static Latency latency(String name, double[] millis) {
        return new Latency(name, Arrays.stream(millis).boxed().toList(), Optional.empty(), Optional.empty());
    }

    private static String plain(double value) {
        return value == Math.rint(value)
                ? String.format(Locale.ROOT, "%.0f", value)
                : String.format(Locale.ROOT, "%.2f", value);
    }
}
