package dev.capsem.exchange.http;

import dev.capsem.events.row.Caller;

/// What an exchange knows of the connection that its request came on.
///
/// @param connectionType as in `net_events`
public record GuestFacts(boolean isHttp2, boolean isTls, Caller caller, String connectionType) {}
