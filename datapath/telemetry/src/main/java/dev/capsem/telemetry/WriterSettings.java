package dev.capsem.telemetry;

import java.time.Duration;

/// The limits of a [SessionWriter].
///
/// @param queueCapacity exchanges waiting to be written; above it allowed ones are dropped and counted, others wait
/// @param batchMax the most exchanges in one transaction
/// @param databaseBytesMax how large session.db may grow, so that a sandbox cannot fill the host's disk by making
///     events; at that size it behaves as on a full disk
/// @param retryFirst the pause before the first retry when the disk fails; doubles up to `retryLongest`
/// @param closeWait how long `close` goes on trying while the disk fails
public record WriterSettings(
        int queueCapacity,
        int batchMax,
        long databaseBytesMax,
        Duration retryFirst,
        Duration retryLongest,
        Duration closeWait) {
    public static final WriterSettings DEFAULT = new WriterSettings(
            8_192, 1_024, 8L * 1024 * 1024 * 1024, Duration.ofMillis(50), Duration.ofSeconds(5), Duration.ofSeconds(5));

    public WriterSettings {
        if (queueCapacity < 1 || batchMax < 1 || databaseBytesMax < 1) {
            throw new IllegalArgumentException("limits are at least 1");
        }
    }
}
