package dev.capsem.exchange.http;

import dev.capsem.events.security.SecurityEvent;
import java.util.OptionalInt;

/// A request's head as it goes on.
///
/// @param keepsExpectation whether the upstream is still to be asked before the body is sent
/// @param keepsExtensions whether WebSocket extensions may be agreed on: rules cannot see through them
/// @param replaced the length of the body that a rule put in place of the guest's
/// @param isWhole whether nothing follows, not even an end
public record OutgoingRequest(
        SecurityEvent.HttpRequest event,
        boolean keepsExpectation,
        boolean keepsExtensions,
        OptionalInt replaced,
        boolean isWhole) {}
