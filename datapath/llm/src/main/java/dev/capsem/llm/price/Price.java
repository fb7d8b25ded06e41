package dev.capsem.llm.price;

import java.util.Comparator;
import java.util.List;

/// US dollars for a million tokens.
///
/// @param tiers once the call's input is larger than a tier's start, all its tokens cost that tier's price
record Price(double base, List<Tier> tiers) {
    record Tier(long start, double price) {}

    Price {
        tiers = tiers.stream().sorted(Comparator.comparingLong(Tier::start)).toList();
    }

    double of(long tokens, long callInput) {
        double price = base;
        for (Tier tier : tiers) {
            if (callInput > tier.start()) {
                price = tier.price();
            }
        }
        return price * tokens / 1_000_000;
    }
}
