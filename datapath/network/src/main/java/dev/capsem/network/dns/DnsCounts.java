package dev.capsem.network.dns;

/// What a DNS engine has done so far, for metrics.
public record DnsCounts(
        long allowed,
        long denied,
        long redirected,
        long errors,
        long cacheHits,
        long cacheMisses,
        long upstreamFailures) {}
