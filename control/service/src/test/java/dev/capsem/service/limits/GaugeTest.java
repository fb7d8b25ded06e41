package dev.capsem.service.limits;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Whose turn it is to be measured.
class GaugeTest {
    private static final long LIMIT = 1_000;

    private final Gauge<String> gauge = new Gauge<>(Duration.ofSeconds(300), Duration.ofSeconds(10), 10);

    @Test
    void somebodyNewIsLookedAtSoonButNotAtOnce() {
        gauge.left(5_000);

        assertThat(gauge.isDue("a", LIMIT, 0)).isFalse();
        assertThat(gauge.isDue("a", LIMIT, 9_999)).isFalse();
        assertThat(gauge.isDue("a", LIMIT, 10_000)).isTrue();
    }

    @Test
    void nobodyIsMeasuredWhileNothingGoesMissing() {
        gauge.left(5_000);
        gauge.measured("a", 100, gauge.gone(), 0, 1);

        for (int second = 1; second < 300; second++) {
            gauge.left(5_000);
            assertThat(gauge.isDue("a", LIMIT, second * 1_000L)).isFalse();
        }
        assertThat(gauge.isDue("a", LIMIT, 300_000)).isTrue();
    }

    @Test
    void whoCouldBeHalfwayToItsLimitIsMeasured() {
        gauge.left(5_000);
        gauge.measured("far", 100, gauge.gone(), 0, 1);
        gauge.measured("near", 900, gauge.gone(), 0, 1);

        gauge.left(4_940);

        assertThat(gauge.isDue("near", LIMIT, 250)).isTrue();
        assertThat(gauge.isDue("far", LIMIT, 250)).isFalse();
        gauge.left(4_550);
        assertThat(gauge.isDue("far", LIMIT, 500)).isTrue();
    }

    /// A slow measurement has not seen what was written behind its back.
    @Test
    void whatGoesMissingDuringAMeasurementIsNotTakenForMeasured() {
        gauge.left(5_000);
        long before = gauge.gone();
        gauge.left(4_000);
        gauge.measured("a", 100, before, 3_000, 3_000);

        gauge.left(4_000);

        assertThat(gauge.isDue("a", LIMIT, 6_000)).isTrue();
    }

    /// One deletes while another writes: what went missing in between still counts.
    @Test
    void roomThatComesBackHidesNobody() {
        gauge.left(5_000);
        gauge.measured("a", 0, gauge.gone(), 0, 1);

        for (int beat = 0; beat < 6; beat++) {
            gauge.left(4_900);
            gauge.left(5_000);
        }

        assertThat(gauge.isDue("a", LIMIT, 1_000)).isTrue();
    }

    @Test
    void aMeasurementThatTookLongIsNotSoonRepeated() {
        gauge.left(5_000);
        gauge.measured("a", 900, gauge.gone(), 10_000, 2_000);
        gauge.left(4_940);

        assertThat(gauge.isDue("a", LIMIT, 49_999)).isFalse();
        assertThat(gauge.isDue("a", LIMIT, 50_000)).isTrue();
    }

    @Test
    void whoIsGoneIsForgotten() {
        gauge.left(5_000);
        gauge.measured("a", 900, gauge.gone(), 0, 1);

        gauge.keep(List.of("b"));

        assertThat(gauge.isDue("a", LIMIT, 1)).isFalse();
        gauge.left(4_900);
        assertThat(gauge.isDue("a", LIMIT, 250)).as("as if it were new").isFalse();
    }

    /// A guest with many files makes each measurement slow; what it writes meanwhile is not left for later.
    @Test
    void aSlowMeasurementBuysNoTime() {
        gauge.left(5_000);
        gauge.measured("a", 100, gauge.gone(), 0, 6_000);

        gauge.left(4_500);
        assertThat(gauge.isDue("a", LIMIT, 60_000)).as("halfway, so it rests").isFalse();
        gauge.left(4_100);

        assertThat(gauge.isDue("a", LIMIT, 5_000)).isFalse();
        assertThat(gauge.isDue("a", LIMIT, 6_000))
                .as("all that was left to it may be gone")
                .isTrue();
    }
}
