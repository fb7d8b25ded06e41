package dev.capsem.exchange.egress;

import dev.capsem.events.security.SecurityEvent.HttpRequest;
import dev.capsem.exchange.Awaited;
import java.net.InetAddress;
import java.util.Optional;

/// A fact that an [EgressConnection] learns.
public sealed interface EgressInput {
    /// @param isGranted whether the program's capabilities, or the profile's servers, name host and port
    record Requested(boolean isGranted) implements EgressInput {}

    /// @param address where the host leads; empty if only a proxy knows
    record Located(Optional<InetAddress> address) implements EgressInput {}

    record NotFound() implements EgressInput {}

    /// The record has room for what becomes of it.
    record Admitted(HttpRequest event) implements EgressInput {}

    record NotAdmitted() implements EgressInput {}

    /// The text names no host that a rule could judge.
    record Unnamable() implements EgressInput {}

    /// The result of the question to a person.
    record Waited(Awaited awaited) implements EgressInput {}

    record Recorded() implements EgressInput {}

    record NotRecorded() implements EgressInput {}
}
