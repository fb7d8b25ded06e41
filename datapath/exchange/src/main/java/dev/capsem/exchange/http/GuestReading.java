package dev.capsem.exchange.http;

import dev.capsem.exchange.http.body.RequestBody;

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

    /// Whether somebody can take what comes next.
    boolean isWanted(State state, RequestBody body) {
        return switch (state) {
            case COLLECTING -> !body.isHeldUp();
            case ADMITTING, JUDGING, RESERVING, LOCATING, CONNECTING -> body.hasNothingToSend() || body.isComplete();
            case CARRYING -> body.isComplete() || actions.isUpstreamWritable();
            case ANSWERING -> !body.isComplete() && !body.isDrainedEnough();
            case OVER -> false;
        };
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
