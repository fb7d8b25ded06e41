package dev.capsem.network;

import dev.capsem.events.EventSink;
import dev.capsem.events.security.ApprovalDesk;
import dev.capsem.events.security.EnvelopeSource;
import dev.capsem.events.security.SecurityGate;
import dev.capsem.events.traffic.ConnectionHandoff;
import dev.capsem.events.traffic.ExchangeObserver;
import dev.capsem.network.address.HostResolver;
import dev.capsem.network.address.NameLedger;
import java.util.Optional;

/// Whom the network engine asks and tells.
///
/// @param mcp who serves framed MCP; without it such connections are refused
public record Ports(
        SecurityGate gate,
        ApprovalDesk desk,
        EnvelopeSource envelopes,
        EventSink sink,
        ExchangeObserver observer,
        Optional<ConnectionHandoff> mcp,
        NameLedger ledger,
        HostResolver resolver) {}
