package dev.capsem.exchange.http;

/// Asks for more from the guest, one read at a time.
final class GuestReading {
    private final Actions actions;
    private boolean isReading;

    /// True once we issued the extra read that detects a closed guest.
    private boolean sawEnd;

    GuestReading(Actions actions) {
        this.actions = actions;
    }

    /// What was asked for came.
    void arrived() {
        isReading = false;
    }

    /// @param isComplete whether all of the request came
    /// @param detectsEnd whether a guest that leaves is to be noticed all the same
    void read(boolean isComplete, boolean detectsEnd) {
        boolean mayReadOn = !isComplete || (!sawEnd && detectsEnd);
        if (mayReadOn && !isReading) {
            sawEnd |= isComplete;
            isReading = true;
            actions.readGuest();
        }
    }
}
