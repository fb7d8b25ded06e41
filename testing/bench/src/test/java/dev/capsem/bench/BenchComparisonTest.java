package dev.capsem.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

class BenchComparisonTest {
    private static ObjectNode report(Measurement... all) {
        ObjectNode report = JsonNodeFactory.instance.objectNode();
        var results = report.putArray("results");
        for (Measurement one : all) {
            results.add(one.toJson());
        }
        return report;
    }

    private static Measurement rate(String name, double value) {
        return new Measurement.Figure(name, value, "requests/s", Optional.empty());
    }

    private static Measurement time(String name, double millis) {
        return new Measurement.Latency(name, List.of(millis, millis, millis), Optional.empty(), Optional.empty());
    }

    @Test
    void namesWhatGotSlowerWorstFirst() {
        BenchComparison found = BenchComparison.of(
                report(rate("capsem, c=1", 1000), time("exec", 2), time("delete", 40)),
                report(rate("capsem, c=1", 500), time("exec", 2), time("delete", 60)));

        assertThat(found.slower())
                .extracting(BenchComparison.Change::name)
                .containsExactly("capsem, c=1", "delete, p50");
        assertThat(found.isSlower()).isTrue();
        assertThat(found.compared()).isEqualTo(3);
    }

    @Test
    void aFasterRunIsNotSlower() {
        BenchComparison found = BenchComparison.of(
                report(rate("capsem, c=1", 1000), time("exec", 4)), report(rate("capsem, c=1", 3000), time("exec", 1)));

        assertThat(found.isSlower()).isFalse();
    }

    @Test
    void allowsForAsMuchAsPeersDiffer() {
        ObjectNode before = report(rate("direct, c=1", 1000), rate("capsem, c=1", 500));

        BenchComparison busy = BenchComparison.of(before, report(rate("direct, c=1", 700), rate("capsem, c=1", 350)));
        BenchComparison idle = BenchComparison.of(before, report(rate("direct, c=1", 1000), rate("capsem, c=1", 350)));

        assertThat(busy.isSlower()).isFalse();
        assertThat(idle.isSlower()).isTrue();
        assertThat(busy.noise()).isGreaterThan(idle.noise());
    }

    @Test
    void saysNothingOfPeersCountsAndWhatOneRunLacks() {
        BenchComparison found = BenchComparison.of(
                report(
                        rate("LittleProxy, c=1", 1000),
                        new Measurement.Figure("streams recorded whole", 1, "rows", Optional.empty())),
                report(
                        rate("LittleProxy, c=1", 10),
                        rate("capsem, new", 1),
                        new Measurement.Failed("capsem, c=1", "3 of 4 requests failed"),
                        new Measurement.Figure("streams recorded whole", 500, "rows", Optional.empty())));

        assertThat(found.slower()).isEmpty();
        assertThat(found.compared()).isZero();
    }
}
