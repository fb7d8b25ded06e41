package dev.capsem.exchange.http;

import dev.capsem.events.row.Caller;

/// The facts about the connection that a request came on.
///
/// @param connectionType as in `net_events`
public record GuestFacts(boolean isHttp2, boolean isTls, Caller caller, String connectionType) {}
