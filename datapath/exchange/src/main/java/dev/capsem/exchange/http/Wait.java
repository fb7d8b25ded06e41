package dev.capsem.exchange.http;

/// A wait of an exchange that has a limit. The shell knows how long.
public enum Wait {
    /// The next piece of a request's body that a rule must read.
    REQUEST_BODY("the request's body did not arrive in time"),
    /// A connection to the upstream, with all the addresses that are tried.
    CONNECTION("no connection to the upstream in time"),
    /// The head of the response: models think for minutes.
    RESPONSE_HEAD("the upstream did not answer in time"),
    /// Anything from the upstream, again and again, once the response is under way.
    PROGRESS("the upstream fell silent"),
    /// The end of a stream of events that a rule must read as a whole. Runs beside [#PROGRESS].
    HELD_STREAM("the stream of events did not end in time");

    private final String overdue;

    Wait(String overdue) {
        this.overdue = overdue;
    }

    /// The message if the limit is hit.
    String overdue() {
        return overdue;
    }
}
