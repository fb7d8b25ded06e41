package dev.capsem.llm.price;

import java.time.Instant;
import java.time.LocalTime;
import java.time.OffsetTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/// One model's prices over time.
///
/// @param contextWindow how many tokens it takes in
/// @param entries later ones go before earlier ones
record PriceList(String id, ModelMatch match, OptionalLong contextWindow, List<Entry> entries) {
    PriceList {
        entries = List.copyOf(entries);
    }

    /// @param prices by the table's own keys, such as `input_mtok`
    record Entry(Validity validity, Map<String, Price> prices) {
        Entry {
            prices = Map.copyOf(prices);
        }

        double cost(TokenCounts tokens) {
            long input = tokens.allInput();
            return of("input_mtok", tokens.plainInput(), input)
                    + either("cache_read_mtok", "input_mtok", tokens.cacheRead(), input)
                    + either("cache_write_mtok", "input_mtok", tokens.cacheWrite(), input)
                    + (prices.containsKey("cache_write_1h_mtok")
                            ? of("cache_write_1h_mtok", tokens.cacheWriteHour(), input)
                            : either("cache_write_mtok", "input_mtok", tokens.cacheWriteHour(), input))
                    + of("output_mtok", tokens.plainOutput(), input)
                    + either("output_reasoning_mtok", "output_mtok", tokens.thinking(), input);
        }

        private double either(String key, String otherwise, long count, long input) {
            return of(prices.containsKey(key) ? key : otherwise, count, input);
        }

        private double of(String key, long count, long input) {
            @Nullable Price price = prices.get(key);
            return price == null ? 0 : price.of(count, input);
        }
    }

    /// When an entry holds.
    sealed interface Validity {
        boolean holds(Instant at);

        record Always() implements Validity {
            @Override
            public boolean holds(Instant at) {
                return true;
            }
        }

        record From(Instant start) implements Validity {
            @Override
            public boolean holds(Instant at) {
                return !at.isBefore(start);
            }
        }

        /// @param start, end of each day; over midnight if the end is first
        record Daily(OffsetTime start, OffsetTime end) implements Validity {
            @Override
            public boolean holds(Instant at) {
                LocalTime now = at.atOffset(ZoneOffset.UTC).toLocalTime();
                LocalTime from = start.withOffsetSameInstant(ZoneOffset.UTC).toLocalTime();
                LocalTime to = end.withOffsetSameInstant(ZoneOffset.UTC).toLocalTime();
                boolean isAfterStart = !now.isBefore(from);
                boolean isBeforeEnd = now.isBefore(to);
                return to.isBefore(from) ? isAfterStart || isBeforeEnd : isAfterStart && isBeforeEnd;
            }
        }
    }

    Entry at(Instant when) {
        return entries.reversed().stream()
                .filter(entry -> entry.validity().holds(when))
                .findFirst()
                .orElse(entries.get(0));
    }
}
