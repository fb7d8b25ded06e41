package dev.capsem.llm.price;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.time.Instant;
import java.util.OptionalDouble;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PriceTableTest {
    private static final Instant AT = Instant.parse("2026-06-01T12:00:00Z");
    private static final TokenCounts MILLION_IN = new TokenCounts(1_000_000, 0, 0, 0, 0, 0);

    private static final PriceTable TABLE = PriceTable.parse("""
            [{"id": "p", "fallback_model_providers": ["q"], "models": [
              {"id": "plain", "match": {"equals": "Plain"}, "prices": {"input_mtok": 3, "output_mtok": 15}},
              {"id": "cached", "match": {"starts_with": "cached-"}, "prices": {"input_mtok": 4, "output_mtok": 8,
                "cache_read_mtok": 1, "cache_write_mtok": 5, "cache_write_1h_mtok": 6, "output_reasoning_mtok": 9}},
              {"id": "tiered", "match": {"ends_with": "-tiered"}, "prices": {"input_mtok":
                {"base": 1, "tiers": [{"start": 300, "price": 4}, {"start": 100, "price": 2}]}, "output_mtok": 10}},
              {"id": "dated", "match": {"contains": "date"}, "prices": [
                {"prices": {"input_mtok": 10}},
                {"constraint": {"start_date": "2026-03-13"}, "prices": {"input_mtok": 5}},
                {"constraint": {"start_date": "2027-01-01"}, "prices": {"input_mtok": 1}}]},
              {"id": "night", "match": {"and": [{"starts_with": "n"}, {"regex": "^(?!.*-tts)"}]}, "prices": [
                {"prices": {"input_mtok": 10}},
                {"constraint": {"start_time": "16:30:00Z", "end_time": "00:30:00Z"}, "prices": {"input_mtok": 5}}]},
              {"id": "release", "match": {"or": [{"equals": "r-2025-09-29"}, {"equals": "r"}]},
                "prices": {"input_mtok": 7}},
              {"id": "future", "match": {"sounds_like": "x"}, "prices": {"input_mtok": 7}}]},
             {"id": "q", "models": [
              {"id": "other", "match": {"equals": "other"}, "prices": {"input_mtok": 2}}]}]""");

    private static OptionalDouble cost(String model, TokenCounts tokens) {
        return TABLE.cost("p", model, tokens, AT);
    }

    @Test
    void isInputAndOutputWhereThereIsNothingElse() {
        assertThat(cost("plain", new TokenCounts(1000, 0, 0, 0, 200, 0)).orElseThrow())
                .isCloseTo(0.006, within(1e-12));
    }

    @Test
    void pricesEveryKindOfTokenOnce() {
        assertThat(cost("cached-1", new TokenCounts(1, 10, 100, 1000, 10_000, 100_000))
                        .orElseThrow())
                .isCloseTo((4 + 10 + 500 + 6000 + 80_000 + 900_000) / 1e6, within(1e-12));
    }

    @Test
    void pricesCachedTokensAsInputAndThinkingAsOutputWhereTheTableHasNoOwnPrice() {
        assertThat(cost("plain", new TokenCounts(1, 10, 100, 1000, 10_000, 100_000))
                        .orElseThrow())
                .isCloseTo((1111 * 3 + 110_000 * 15) / 1e6, within(1e-12));
    }

    @ParameterizedTest
    @CsvSource({"100, 1", "101, 2", "300, 2", "301, 4"})
    void pricesAllTokensByTheTierOfTheWholeInput(long input, double price) {
        assertThat(cost("x-tiered", new TokenCounts(input - 50, 50, 0, 0, 0, 0)).orElseThrow())
                .isCloseTo(input * price / 1e6, within(1e-12));
    }

    @ParameterizedTest
    @CsvSource({
        "2026-03-12T23:59:59Z, 10",
        "2026-03-13T00:00:00Z, 5",
        "2026-12-31T23:59:59Z, 5",
        "2027-01-01T00:00:00Z, 1"
    })
    void takesThePriceOfTheDay(Instant at, double price) {
        assertThat(TABLE.cost("p", "the-date-model", MILLION_IN, at)).hasValue(price);
    }

    @ParameterizedTest
    @CsvSource({
        "2026-01-01T16:29:59Z, 10",
        "2026-01-01T16:30:00Z, 5",
        "2026-01-01T00:29:59Z, 5",
        "2026-01-01T00:30:00Z, 10"
    })
    void takesThePriceOfTheHour(Instant at, double price) {
        assertThat(TABLE.cost("p", "night", MILLION_IN, at)).hasValue(price);
    }

    @Test
    void hasNoPriceForWhatItDoesNotKnow() {
        assertThat(cost("whoever", MILLION_IN)).isEmpty();
        assertThat(cost("night-tts", MILLION_IN)).isEmpty();
        assertThat(cost("x", MILLION_IN)).isEmpty();
        assertThat(cost("", MILLION_IN)).isEmpty();
        assertThat(cost("cached-" + "x".repeat(PriceTable.MODEL_CHARACTERS_MAX), MILLION_IN))
                .isEmpty();
        assertThat(TABLE.cost("nobody", "plain", MILLION_IN, AT)).isEmpty();
    }

    @Test
    void findsNamesInAnyCaseWithCompactDatesAndOfOtherProviders() {
        assertThat(TABLE.idOf("p", " PLAIN ")).hasValue("plain");
        assertThat(TABLE.idOf("p", "r-20250929")).hasValue("release");
        assertThat(TABLE.idOf("p", "other")).hasValue("other");
        assertThat(TABLE.idOf("q", "plain")).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "anthropic, claude-sonnet-4-5-20250929, claude-sonnet-4-5",
        "anthropic, claude-opus-4-6, claude-opus-4-6",
        "openai, gpt-4.1-mini-2025-04-14, gpt-4.1-mini",
        "openai, gpt-5-codex, gpt-5",
        "google, gemini-2.5-pro, gemini-2.5-pro",
        "google, gemini-2.5-flash-lite, gemini-2.5-flash-lite"
    })
    void embedsTheModelsOfTheProviders(String provider, String model, String id) {
        assertThat(PriceTable.embedded().idOf(provider, model)).hasValue(id);
        assertThat(PriceTable.embedded().cost(provider, model, MILLION_IN, AT).orElseThrow())
                .isPositive();
    }
}
