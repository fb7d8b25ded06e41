package dev.capsem.telemetry.write;

import dev.capsem.events.vocabulary.EventType;
import dev.capsem.telemetry.chain.ChainHead;
import java.util.Map;
import java.util.Optional;

/// How a [SessionWriter] is doing.
///
/// @param problem why it cannot write at the moment; absent when all is well
/// @param written exchanges committed by this writer
/// @param dropped what was seen inside and not kept because the queue was full, by event type
/// @param refused what was not admitted because it could not have been recorded, by event type
/// @param rejected exchanges that the database refused: a bug of ours, counted as a gap
/// @param lost exchanges that were accepted but never stored, because the disk failed until the writer was closed
/// @param counters what `/info` shows, by JSON name
/// @param head of the hash chain, as committed
public record WriterStatus(
        Optional<Problem> problem,
        int queued,
        long written,
        Map<EventType, Long> dropped,
        Map<EventType, Long> refused,
        long rejected,
        long lost,
        Map<String, Long> counters,
        ChainHead head) {
    public WriterStatus {
        dropped = Map.copyOf(dropped);
        refused = Map.copyOf(refused);
        counters = Map.copyOf(counters);
    }

    /// @param code the name of SQLite's result code, for example `SQLITE_FULL`
    public record Problem(String code, String cause, String remedy) {}

    public long droppedEvents() {
        return dropped.values().stream().mapToLong(Long::longValue).sum() + rejected + lost;
    }
}
