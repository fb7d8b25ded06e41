package dev.capsem.exchange.http;

import dev.capsem.events.security.Headers;
import java.util.Optional;
import java.util.OptionalInt;

/// A response's head as it goes on.
///
/// @param changed the headers that a rule put in place of the upstream's
/// @param hasNoBody whether HTTP says so, whatever the headers say
/// @param replaced the length of the body that a rule put in place of the upstream's
/// @param keepsGuest whether the connection serves another request after it
/// @param keepsReason whether the upstream's own words for the status go on
public record OutgoingResponse(
        int status,
        Optional<Headers> changed,
        boolean hasNoBody,
        OptionalInt replaced,
        boolean keepsGuest,
        boolean keepsReason) {}
