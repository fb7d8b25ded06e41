package dev.capsem.network;

import dev.capsem.broker.Grants;
import dev.capsem.events.EventSink;
import dev.capsem.events.budget.SpendingDesk;
import dev.capsem.events.security.ApprovalDesk;
import dev.capsem.events.security.EnvelopeSource;
import dev.capsem.events.security.SecurityGate;
import dev.capsem.events.traffic.ConnectionHandoff;
import dev.capsem.events.traffic.ExchangeObserver;
import dev.capsem.network.address.HostResolver;
import dev.capsem.network.address.NameLedger;
import dev.capsem.network.http.upstream.UpstreamProxy;
import java.util.Optional;
import java.util.function.Supplier;

/// Whom the network engine asks and tells.
///
/// @param mcp who serves framed MCP; without it such connections are refused
/// @param proxy what upstream connections go through, asked anew for each request
/// @param grants the secrets that requests may carry, asked anew for each request
/// @param spending the budgets that count requests
public record Ports(
        SecurityGate gate,
        ApprovalDesk desk,
        EnvelopeSource envelopes,
        EventSink sink,
        ExchangeObserver observer,
        Optional<ConnectionHandoff> mcp,
        NameLedger ledger,
        HostResolver resolver,
        Supplier<Optional<UpstreamProxy>> proxy,
        Supplier<Grants> grants,
        SpendingDesk spending) {}
