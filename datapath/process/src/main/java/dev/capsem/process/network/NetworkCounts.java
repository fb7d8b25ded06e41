package dev.capsem.process.network;

import dev.capsem.network.dns.DnsCounts;
import dev.capsem.network.metrics.NetworkMetrics;

/// The counts of both engines.
public record NetworkCounts(NetworkMetrics.Snapshot network, DnsCounts dns) {}
