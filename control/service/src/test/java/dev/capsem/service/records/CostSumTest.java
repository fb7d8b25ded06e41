package dev.capsem.service.records;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.wire.json.Json;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

class CostSumTest {
    private final CostSum sum = new CostSum();

    private static ObjectNode sums(long calls, double known, long unknown) {
        return Json.object()
                .put("calls", calls)
                .put("input_tokens", 10 * calls)
                .put("known_cost_usd", known)
                .put("unknown_calls", unknown);
    }

    @Test
    void addsUpRowsWithTheSameKey() {
        sum.add("opus", sums(2, 0.5, 0));
        sum.add("moon", sums(1, 0, 1));
        sum.add("opus", sums(1, 0.25, 0));
        sum.add("none", sums(0, 0, 0));

        JsonNode report = sum.report();

        assertThat(report.path("rows").valueStream().map(row -> row.path("key").asString()))
                .containsExactly("opus", "moon");
        assertThat(report.path("rows").get(0).path("calls").asLong()).isEqualTo(3);
        assertThat(report.path("rows").get(0).path("input_tokens").asLong()).isEqualTo(30);
        assertThat(report.path("rows").get(0).path("cost_usd").asDouble()).isEqualTo(0.75);
        assertThat(report.path("rows").get(1).path("cost_usd").isNull()).isTrue();
        assertThat(report.path("total").path("cost_usd").isNull()).isTrue();
        assertThat(report.path("total").path("known_cost_usd").asDouble()).isEqualTo(0.75);
    }

    @Test
    void withoutSandboxesNothingWasSpent() {
        assertThat(sum.report().path("total").path("cost_usd").asDouble(-1)).isZero();
        assertThat(sum.report().path("rows").isEmpty()).isTrue();
    }
}
