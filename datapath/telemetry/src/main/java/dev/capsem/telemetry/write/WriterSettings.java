package dev.capsem.telemetry.write;

import java.time.Duration;

/// The limits of a [SessionWriter].
///
/// @param queueCapacity exchanges waiting to be written, and exchanges that were promised room for it; beyond it
///     nothing new is admitted
/// @param batchMax the most exchanges in one transaction
/// @param databaseBytesMax how large session.db may grow, so that a sandbox cannot fill the host's disk by making
///     events; at that size it behaves as on a full disk
/// @param reserveBytes what is kept free on the disk, and below the size limit, for what was admitted before
/// @param admissionWait how long whoever wants to begin waits for room, or for the disk, before it is refused
/// @param retryFirst the pause before the first retry when the disk fails; doubles up to `retryLongest`
/// @param batchGap how long after one batch the next begins while events keep coming. What was not simply allowed, an
///     order, the end of the session and a queue that is half full do not wait for it
/// @param closeWait how long `close` goes on trying while the disk fails
public record WriterSettings(
        int queueCapacity,
        int batchMax,
        long databaseBytesMax,
        long reserveBytes,
        Duration admissionWait,
        Duration batchGap,
        Duration retryFirst,
        Duration retryLongest,
        Duration closeWait) {
    public static final WriterSettings DEFAULT = new WriterSettings(
            8_192,
            1_024,
            8L * 1024 * 1024 * 1024,
            2L * 1024 * 1024,
            Duration.ofSeconds(10),
            Duration.ofMillis(5),
            Duration.ofMillis(50),
            Duration.ofSeconds(5),
            Duration.ofSeconds(5));

    public WriterSettings {
        if (queueCapacity < 1 || batchMax < 1 || databaseBytesMax < 1 || reserveBytes < 0) {
            throw new IllegalArgumentException("limits are at least 1");
        }
    }
}
