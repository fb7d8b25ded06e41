package dev.capsem.events.budget;

import dev.capsem.events.vocabulary.EventType;
import dev.capsem.events.vocabulary.WireNamed;
import java.util.List;
import java.util.Locale;

/// What a budget counts.
public enum BudgetUnit implements WireNamed {
    /// Millionths of a US dollar, which model calls cost.
    USD,
    /// Tokens of model calls: all that go in and come out, cached or not.
    TOKENS,
    /// HTTP requests, model calls among them.
    REQUESTS;

    private final String wireName = name().toLowerCase(Locale.ROOT);

    @Override
    public String wireName() {
        return wireName;
    }

    /// The events whose fields a condition may read, in the order in which they are tried.
    public List<EventType> matched() {
        return switch (this) {
            case USD, TOKENS -> List.of(EventType.MODEL_REQUEST, EventType.HTTP_REQUEST);
            case REQUESTS -> List.of(EventType.HTTP_REQUEST);
        };
    }
}
