package dev.capsem.security.condition;

import dev.capsem.security.schema.Unknown;
import java.util.Map;

/// The readings of meters when an event was judged: an input of the judgement, like the event itself.
///
/// @param byMeter how many events, this one included; an [Unknown] where the event has no key
/// @param isFull whether a meter that is missing is so because there is no room to count
public record Counts(Map<Meter, Object> byMeter, boolean isFull) {
    /// Nobody counted.
    public static final Counts NONE = new Counts(Map.of(), false);

    public Counts {
        byMeter = Map.copyOf(byMeter);
    }

    Object read(Meter meter) {
        Object count = byMeter.get(meter);
        if (count != null) {
            return count;
        }
        if (isFull) {
            throw new EvaluationFailure(EvaluationFailure.Kind.RATE_FULL);
        }
        return Unknown.OPAQUE;
    }
}
