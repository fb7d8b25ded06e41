package dev.capsem.source;

import java.util.Arrays;
import java.util.Optional;

/// The authority of a source, most trusted first: of two entries with one name, the more trusted one stands. The layer
/// also says what priorities rules may have. Rules with lower numbers are asked first, so nobody can get in front of
/// the company's rules.
public enum Layer {
    CORP("corp", -1000, -1, true),
    USER("user", 1, 999, true),
    BUILT_IN("builtin", 1, 999, true),
    /// Found in the settings of other programs of this host.
    DETECTED("detected", 1, 999, false),
    /// Consequences of entries of the other layers, such as allowed tools.
    DERIVED("derived", 0, 0, false),
    /// Rules added to a running session. No profile has entries of this layer.
    OVERLAY("overlay", 1, 999, false);

    /// The priority of rules that stand behind all others, one per type of event.
    public static final int CATCH_ALL = 1000;

    private final String wireName;
    private final int lowest;
    private final int highest;
    private final boolean hasCatchAlls;

    Layer(String wireName, int lowest, int highest, boolean hasCatchAlls) {
        this.wireName = wireName;
        this.lowest = lowest;
        this.highest = highest;
        this.hasCatchAlls = hasCatchAlls;
    }

    public static Optional<Layer> named(String wireName) {
        return Arrays.stream(values())
                .filter(layer -> layer.wireName.equals(wireName))
                .findFirst();
    }

    public String wireName() {
        return wireName;
    }

    public boolean acceptsPriority(long priority) {
        return (priority >= lowest && priority <= highest) || (hasCatchAlls && priority == CATCH_ALL);
    }

    /// What a person may write, in words.
    public String priorities() {
        String normal = lowest == highest ? String.valueOf(lowest) : "from " + lowest + " to " + highest;
        return normal + (hasCatchAlls ? ", or " + CATCH_ALL + " for a catch-all" : "");
    }
}
