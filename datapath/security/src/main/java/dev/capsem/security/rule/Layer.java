package dev.capsem.security.rule;

/// Who a source speaks for, which says what priorities its rules may have. Lower numbers are asked first, so
/// nobody can get in front of the company's rules.
public enum Layer {
    CORP(-1000, -1, true),
    /// Rules that follow from other settings, such as allowed tools.
    DERIVED(0, 0, false),
    /// Built-in and user profiles.
    PROFILE(1, 999, true),
    /// Rules added to a running session.
    OVERLAY(1, 999, false);

    /// Where each profile's catch-alls stand: behind everything else.
    public static final int CATCH_ALL = 1000;

    private final int lowest;
    private final int highest;
    private final boolean hasCatchAlls;

    Layer(int lowest, int highest, boolean hasCatchAlls) {
        this.lowest = lowest;
        this.highest = highest;
        this.hasCatchAlls = hasCatchAlls;
    }

    boolean accepts(int priority) {
        return (priority >= lowest && priority <= highest) || (hasCatchAlls && priority == CATCH_ALL);
    }

    String range() {
        String normal = lowest == highest ? String.valueOf(lowest) : "from " + lowest + " to " + highest;
        return normal + (hasCatchAlls ? ", or " + CATCH_ALL + " for a catch-all" : "");
    }

    int lowest() {
        return lowest;
    }

    int highest() {
        return highest;
    }
}
