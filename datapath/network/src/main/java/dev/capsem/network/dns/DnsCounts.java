package dev.capsem.network.dns;

import dev.capsem.network.metrics.Histogram;

/// The counts of a DNS engine, for metrics.
///
/// @param cacheEvictions answers forgotten for want of room
/// @param handleMillis from a question to its answer
/// @param upstreamMillis of those that memory could not answer
public record DnsCounts(
        long allowed,
        long denied,
        long redirected,
        long errors,
        long cacheHits,
        long cacheMisses,
        long cacheEvictions,
        long upstreamFailures,
        Histogram.Snapshot handleMillis,
        Histogram.Snapshot upstreamMillis) {}
