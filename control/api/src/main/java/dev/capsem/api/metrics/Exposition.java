package dev.capsem.api.metrics;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import tools.jackson.databind.JsonNode;

/// Metrics as Prometheus reads them, text format 0.0.4: all samples of one name together, under its HELP and TYPE.
final class Exposition {
    static final String MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8";

    private static final String PREFIX = "capsem_";

    private enum Kind {
        COUNTER,
        GAUGE,
        HISTOGRAM;

        String wireName() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    private record Family(Kind kind, List<String> samples) {}

    private final Map<String, Family> families = new TreeMap<>();

    void gauge(String series, double value) {
        add(Kind.GAUGE, series, "", value);
    }

    void counter(String series, double value) {
        add(Kind.COUNTER, series, "", value);
    }

    /// @param snapshot what the sandbox's process answered
    void sandbox(String id, JsonNode snapshot) {
        String label = "sandbox=\"" + id + "\"";
        snapshot.path("counters")
                .properties()
                .forEach(entry -> add(
                        Kind.COUNTER, entry.getKey(), label, entry.getValue().asDouble(0)));
        snapshot.path("gauges")
                .properties()
                .forEach(entry ->
                        add(Kind.GAUGE, entry.getKey(), label, entry.getValue().asDouble(0)));
        snapshot.path("histograms").properties().forEach(entry -> histogram(entry.getKey(), label, entry.getValue()));
    }

    private void histogram(String name, String label, JsonNode values) {
        for (JsonNode bucket : values.path("buckets")) {
            String bound = number(bucket.path(0).asDouble(0));
            bucket(name, label, bound, bucket.path(1).asLong(0));
        }
        long count = values.path("count").asLong(0);
        bucket(name, label, "+Inf", count);
        List<String> samples = family(Kind.HISTOGRAM, name).samples();
        samples.add(PREFIX + name + "_sum{" + label + "} "
                + number(values.path("sum").asDouble(0)));
        samples.add(PREFIX + name + "_count{" + label + "} " + count);
    }

    private void bucket(String name, String label, String bound, long count) {
        family(Kind.HISTOGRAM, name)
                .samples()
                .add(PREFIX + name + "_bucket{" + label + ",le=\"" + bound + "\"} " + count);
    }

    /// @param series a name, or a name with labels in braces
    private void add(Kind kind, String series, String label, double value) {
        int brace = series.indexOf('{');
        String name = brace < 0 ? series : series.substring(0, brace);
        String own = brace < 0 ? "" : series.substring(brace + 1, series.length() - 1);
        String labels = own.isEmpty() || label.isEmpty() ? label + own : label + "," + own;
        family(kind, name)
                .samples()
                .add(PREFIX + name + (labels.isEmpty() ? "" : "{" + labels + "}") + " " + number(value));
    }

    private Family family(Kind kind, String name) {
        return families.computeIfAbsent(name, _ -> new Family(kind, new ArrayList<>()));
    }

    String text() {
        StringBuilder out = new StringBuilder();
        families.forEach((name, family) -> {
            Descriptions.of(name)
                    .ifPresent(help -> out.append("# HELP ")
                            .append(PREFIX)
                            .append(name)
                            .append(' ')
                            .append(help)
                            .append('\n'));
            out.append("# TYPE ")
                    .append(PREFIX)
                    .append(name)
                    .append(' ')
                    .append(family.kind().wireName())
                    .append('\n');
            family.samples().forEach(sample -> out.append(sample).append('\n'));
        });
        return out.toString();
    }

    /// Whole numbers without a point, others without an exponent.
    private static String number(double value) {
        return value == Math.rint(value) && Math.abs(value) < 1e15
                ? Long.toString((long) value)
                : BigDecimal.valueOf(value).toPlainString();
    }
}
