package dev.capsem.events.budget;

import java.util.OptionalLong;

/// What a model call costs: at most, before it is sent; truly, when it is over.
///
/// @param tokens all that go in and come out
/// @param microUsd millionths of a US dollar; none if nobody knows the price
public record CallCost(long tokens, OptionalLong microUsd) {
    public static final CallCost NOTHING = new CallCost(0, OptionalLong.of(0));

    public CallCost {
        tokens = Math.clamp(tokens, 0, BudgetAmount.VALUE_MAX);
        microUsd = microUsd.isPresent()
                ? OptionalLong.of(Math.clamp(microUsd.getAsLong(), 0, BudgetAmount.VALUE_MAX))
                : microUsd;
    }
}
