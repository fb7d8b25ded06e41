package dev.capsem.exchange.http;

import dev.capsem.broker.SentHead;
import dev.capsem.events.security.SecurityEvent;
import java.util.Optional;
import java.util.OptionalInt;

/// A request's head as it goes on.
///
/// @param filled what is sent in place of the event's head, where it holds secrets
/// @param keepsExpectation whether the upstream is still to be asked before the body is sent
/// @param keepsExtensions whether WebSocket extensions may be agreed on: rules cannot see through them
/// @param replaced the length of the body that a rule put in place of the guest's
/// @param isWhole whether nothing follows, not even an end
public record OutgoingRequest(
        SecurityEvent.HttpRequest event,
        Optional<SentHead> filled,
        boolean keepsExpectation,
        boolean keepsExtensions,
        OptionalInt replaced,
        boolean isWhole) {}
