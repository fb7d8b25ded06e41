package dev.capsem.security.condition;

import dev.capsem.events.security.SecurityEvent;
import dev.capsem.security.schema.Field;
import dev.capsem.security.schema.Schema;
import org.jspecify.annotations.Nullable;

/// One event while it is judged: the values read so far, the variables of loops, and the work still allowed.
/// Belongs to one thread and one evaluation.
public final class Frame {
    /// Work one condition may do: about one unit per character scanned or loop step. A pattern over the
    /// largest body that is inspected (10 MiB) fits once; a tenth of a second at worst.
    public static final long RULE_BUDGET = 16L * 1024 * 1024;

    /// Work that all conditions together may do for one event.
    public static final long EVENT_BUDGET = 8 * RULE_BUDGET;

    /// Loops may be nested this deep; the compiler refuses more.
    public static final int SLOTS_MAX = 16;

    private final SecurityEvent event;
    private final @Nullable Object[] values =
            new @Nullable Object[Schema.standard().size()];
    private @Nullable Object @Nullable [] slots;
    private Counts counts;
    private final long ruleBudget;
    private long rule;
    private long whole;

    public Frame(SecurityEvent event) {
        this(event, RULE_BUDGET, EVENT_BUDGET);
    }

    public Frame(SecurityEvent event, long ruleBudget, long eventBudget) {
        this(event, Gaps.NONE, ruleBudget, eventBudget);
    }

    public Frame(SecurityEvent event, Gaps gaps, long ruleBudget, long eventBudget) {
        this.event = event;
        this.counts = Counts.NONE;
        if (!gaps.values().isEmpty()) {
            gaps.values().forEach((field, value) -> values[field.ordinal()] = value);
        }
        this.ruleBudget = ruleBudget;
        this.rule = ruleBudget;
        this.whole = eventBudget;
    }

    public SecurityEvent event() {
        return event;
    }

    /// The field's value, read from the event once.
    public Object read(Field field) {
        Object value = values[field.ordinal()];
        if (value == null) {
            value = field.read(event);
            values[field.ordinal()] = value;
        }
        return value;
    }

    /// From now on meters show this.
    public void count(Counts shown) {
        counts = shown;
    }

    public Counts counts() {
        return counts;
    }

    public Object rate(Meter meter) {
        return counts.read(meter);
    }

    void startRule() {
        rule = ruleBudget;
    }

    public void spend(long units) {
        rule -= units;
        whole -= units;
        if (rule < 0 || whole < 0) {
            throw new EvaluationFailure(EvaluationFailure.Kind.BUDGET_EXCEEDED);
        }
    }

    public Object slot(int index) {
        Object value = slots == null ? null : slots[index];
        if (value == null) {
            throw new IllegalStateException("a loop variable is read outside its loop");
        }
        return value;
    }

    public void slot(int index, Object value) {
        if (slots == null) {
            slots = new @Nullable Object[SLOTS_MAX];
        }
        slots[index] = value;
    }
}
