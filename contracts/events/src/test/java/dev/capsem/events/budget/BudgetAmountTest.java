package dev.capsem.events.budget;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.time.ZoneId;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class BudgetAmountTest {
    @ParameterizedTest
    @CsvSource({
        "5usd, 5000000, 5usd, $5.00",
        "0.31 USD, 310000, 0.31usd, $0.31",
        "0.000001usd, 1, 0.000001usd, $0.0001",
        "200000tokens, 200000, 200000 tokens, 200000 tokens",
        "1 requests, 1, 1 requests, 1 request"
    })
    void readsWhatPeopleWrite(String text, long value, String spelling, String shown) {
        BudgetAmount amount = BudgetAmount.parse(text).orElseThrow();

        assertThat(amount.value()).isEqualTo(value);
        assertThat(amount.spelling()).isEqualTo(spelling);
        assertThat(amount.shown()).isEqualTo(shown);
        assertThat(BudgetAmount.parse(amount.spelling())).contains(amount);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "5", "usd", "0usd", "-1usd", "1.5tokens", "1e9usd", "5 eur", "9999999999999999usd"})
    void refusesWhatIsNoAmount(String text) {
        assertThat(BudgetAmount.parse(text)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "HOUR, 2026-03-29T00:30:00Z, 2026-03-29T00:00:00Z, 2026-03-29T01:00:00Z",
        "DAY, 2026-03-29T12:00:00Z, 2026-03-28T23:00:00Z, 2026-03-29T22:00:00Z",
        "WEEK, 2026-03-29T12:00:00Z, 2026-03-22T23:00:00Z, 2026-03-29T22:00:00Z",
        "MONTH, 2026-03-29T12:00:00Z, 2026-02-28T23:00:00Z, 2026-03-31T22:00:00Z"
    })
    void windowsFollowTheClockOfTheirZone(BudgetWindow window, Instant at, Instant start, Instant end) {
        ZoneId berlin = ZoneId.of("Europe/Berlin");

        assertThat(window.start(at, berlin)).isEqualTo(start);
        assertThat(window.end(at, berlin)).contains(end);
    }

    @Test
    void settlesEachUnitByWhatTheCallCameTo() {
        CallCost cost = new CallCost(120, OptionalLong.of(7));
        CallCost unpriced = new CallCost(120, OptionalLong.empty());
        BudgetClaim dollars = new BudgetClaim("d", new BudgetAmount(BudgetUnit.USD, 50), 0);
        BudgetClaim blind = new BudgetClaim("d", new BudgetAmount(BudgetUnit.USD, 0), 999);

        assertThat(dollars.settled(cost).amount().value()).isEqualTo(7);
        assertThat(dollars.settled(unpriced).amount().value()).isEqualTo(50);
        assertThat(blind.settled(unpriced)).isEqualTo(new BudgetClaim("d", new BudgetAmount(BudgetUnit.USD, 0), 120));
        assertThat(new BudgetClaim("r", new BudgetAmount(BudgetUnit.REQUESTS, 1), 0)
                        .settled(cost)
                        .amount()
                        .value())
                .isEqualTo(1);
    }
}
