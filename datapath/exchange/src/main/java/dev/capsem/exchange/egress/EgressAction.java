package dev.capsem.exchange.egress;

import dev.capsem.events.security.Evaluation;
import dev.capsem.events.security.SecurityEvent;
import dev.capsem.events.security.SecurityEvent.HttpRequest;

/// A thing that the shell of an [EgressConnection] must do.
public sealed interface EgressAction {
    /// Find out where the host leads, once: the address that is judged is the one connected to.
    record Locate() implements EgressAction {}

    /// Ask the record for room.
    record Admit() implements EgressAction {}

    record AskPerson(SecurityEvent event, Evaluation question) implements EgressAction {}

    record PutOnRecord(HttpRequest event, Evaluation evaluation) implements EgressAction {}

    /// Connect to the address that was located.
    record Connect() implements EgressAction {}

    /// Do not connect. The record says why already, or cannot be written.
    record Reject() implements EgressAction {}

    /// Do not connect, and put on record that the program has no business there.
    record RejectAndNote() implements EgressAction {}
}
