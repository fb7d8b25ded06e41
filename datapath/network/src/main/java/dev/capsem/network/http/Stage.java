package dev.capsem.network.http;

import dev.capsem.events.security.ApprovalDesk;
import dev.capsem.events.security.EnvelopeSource;
import dev.capsem.events.security.SecurityGate;
import dev.capsem.exchange.http.HttpDependencies;
import dev.capsem.network.address.HostResolver;
import dev.capsem.network.address.NameLedger;
import dev.capsem.network.http.body.HeldBytes;
import dev.capsem.network.http.limit.Timeouts;
import dev.capsem.network.http.upstream.UpstreamPool;
import dev.capsem.network.http.upstream.UpstreamProxy;
import dev.capsem.network.metrics.NetworkMetrics;
import dev.capsem.network.record.ExchangeRecorder;
import io.netty.channel.EventLoop;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;

/// Everything around the exchanges of one sandbox.
record Stage(
        HttpDependencies exchanges,
        SecurityGate gate,
        ApprovalDesk desk,
        EnvelopeSource envelopes,
        NameLedger ledger,
        HostResolver resolver,
        Supplier<Optional<UpstreamProxy>> proxy,
        ExchangeRecorder recorder,
        NetworkMetrics metrics,
        Timeouts timeouts,
        HeldBytes requestsHeld,
        HeldBytes responsesHeld,
        Function<EventLoop, UpstreamPool> pools) {}
