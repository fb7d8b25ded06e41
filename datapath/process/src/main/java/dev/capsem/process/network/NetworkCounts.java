package dev.capsem.process.network;

import dev.capsem.network.dns.DnsCounts;
import dev.capsem.network.metrics.NetworkMetrics;

/// What both engines have counted so far.
public record NetworkCounts(NetworkMetrics.Snapshot network, DnsCounts dns) {}
