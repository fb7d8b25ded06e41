package dev.capsem.profiles.vocabulary;

import dev.capsem.events.vocabulary.WireNamed;

/// Who a source speaks for, most trusted first: of two entries with one name, the more trusted one stands.
public enum Layer implements WireNamed {
    CORP("corp", -1000, -1, true),
    USER("user", 1, 999, true),
    BUILT_IN("builtin", 1, 999, true),
    /// Found in the settings of other programs of this host.
    DETECTED("detected", 1, 999, false),
    /// What follows from entries of the other layers, such as allowed tools.
    DERIVED("derived", 0, 0, false);

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

    @Override
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
