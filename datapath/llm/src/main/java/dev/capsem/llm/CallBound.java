package dev.capsem.llm;

import dev.capsem.events.budget.CallCost;
import dev.capsem.llm.price.PriceTable;
import dev.capsem.llm.price.TokenCounts;
import dev.capsem.llm.provider.OutputLimit;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;

/// The most that a call may cost, before it is sent. A token stands for at least one byte of the request, and what a
/// request only refers to (pictures, files, earlier turns, results of the provider's own tools) fits into a context.
record CallBound(ModelRoutes.Route route, Optional<String> model, byte[] body, boolean isTooLarge, Instant at) {
    /// What providers put around a prompt themselves, such as instructions for the use of tools.
    private static final long OVERHEAD_TOKENS = 2_048;

    /// More than any model of the table takes in, as of 2026.
    private static final long CONTEXT_MAX = 2_000_000;

    private static final double MICROS = 1_000_000;

    CallCost cost(PriceTable prices) {
        long input = inputTokens(prices);
        long output = isTooLarge ? OutputLimit.UNSET : OutputLimit.tokens(route.format(), body);
        return new CallCost(input + output, price(prices, input, output));
    }

    private long inputTokens(PriceTable prices) {
        long context = model.map(name -> prices.contextWindow(route.endpoint().priceName(), name))
                .orElse(OptionalLong.empty())
                .orElse(CONTEXT_MAX);
        long inline = body.length + OVERHEAD_TOKENS;
        if (isTooLarge || OutsideContent.isIn(body)) {
            return Math.max(inline, context);
        }
        return Math.min(inline, Math.max(context, CONTEXT_MAX));
    }

    /// Which tokens a cache takes is not known yet: the dearest way counts.
    private OptionalLong price(PriceTable prices, long input, long output) {
        if (model.isEmpty()) {
            return OptionalLong.empty();
        }
        double most = -1;
        for (TokenCounts way : List.of(
                new TokenCounts(input, 0, 0, 0, output, 0),
                new TokenCounts(input, 0, 0, 0, 0, output),
                new TokenCounts(0, 0, input, 0, output, 0),
                new TokenCounts(0, 0, input, 0, 0, output),
                new TokenCounts(0, 0, 0, input, output, 0),
                new TokenCounts(0, 0, 0, input, 0, output))) {
            OptionalDouble cost = prices.cost(route.endpoint().priceName(), model.get(), way, at);
            most = Math.max(most, cost.orElse(-1));
        }
        return most < 0 ? OptionalLong.empty() : OptionalLong.of((long) Math.ceil(most * MICROS));
    }
}
