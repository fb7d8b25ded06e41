package dev.capsem.exchange.http;

import dev.capsem.broker.Grants;
import dev.capsem.events.budget.SpendingDesk;
import dev.capsem.events.security.EnvelopeSource;
import dev.capsem.events.security.Headers;
import dev.capsem.events.security.SecurityGate;
import dev.capsem.events.traffic.ExchangeObserver;
import dev.capsem.exchange.http.body.BodyReader;
import dev.capsem.exchange.http.body.Redactor;
import java.net.InetAddress;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;

/// The dependencies that all exchanges of one sandbox share.
///
/// @param readers for a message with these headers
/// @param known the address of a host name, if this host knows it without a query
/// @param standIn an address of the class that a host name belongs to by itself
/// @param grants of the profile in force; asked once for each request
/// @param spending asked about each request before it leaves
/// @param heldStreamSeconds how long [Wait#HELD_STREAM] lasts, for messages
public record HttpDependencies(
        SecurityGate gate,
        EnvelopeSource envelopes,
        ExchangeObserver observer,
        Function<Headers, BodyReader> readers,
        Function<String, Optional<InetAddress>> known,
        Function<String, Optional<InetAddress>> standIn,
        Redactor redactor,
        Supplier<Grants> grants,
        SpendingDesk spending,
        long heldStreamSeconds) {}
