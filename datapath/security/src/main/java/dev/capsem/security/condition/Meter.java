package dev.capsem.security.condition;

import dev.capsem.events.vocabulary.EventType;
import dev.capsem.security.schema.Unknown;
import java.time.Duration;

/// What one `rate(key, window)` counts: events of a type, by the text of a key. Two are the same if they count the
/// same, whichever rules they stand in.
public final class Meter {
    private final EventType on;
    private final String text;
    private final Duration window;
    private final Node key;

    public Meter(EventType on, String text, Duration window, Node key) {
        this.on = on;
        this.text = text;
        this.window = window;
        this.key = key;
    }

    public EventType on() {
        return on;
    }

    public Duration window() {
        return window;
    }

    /// A text, or an [Unknown].
    public Object key(Frame frame) {
        Object value = key.value(frame);
        return value instanceof String || value instanceof Unknown ? value : Unknown.MISSING;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Meter meter && on == meter.on && text.equals(meter.text) && window.equals(meter.window);
    }

    @Override
    public int hashCode() {
        return text.hashCode() * 31 + window.hashCode();
    }

    @Override
    public String toString() {
        return "rate(" + text + ", " + window + ")";
    }
}
