package dev.capsem.events.row;

import dev.capsem.events.vocabulary.TraceId;
import dev.capsem.events.vocabulary.WireNamed;
import java.time.Instant;
import java.util.Locale;
import java.util.Optional;

/// A snapshot of the workspace was taken. Which file changes it covers (`start_fs_event_id`, `stop_fs_event_id`)
/// the writer works out: from the snapshot before to the last change written.
public record SnapshotRow(
        Instant at, int slot, Origin origin, Optional<String> name, long filesCount, Optional<TraceId> traceId)
        implements Projection {
    public static final RowShape SHAPE =
            RowShape.of("snapshot_events", "timestamp", "slot", "origin", "name", "files_count", "trace_id");

    /// Why it was taken.
    public enum Origin implements WireNamed {
        AUTO,
        MANUAL,
        FORK;

        private final String wireName = name().toLowerCase(Locale.ROOT);

        @Override
        public String wireName() {
            return wireName;
        }
    }

    @Override
    public RowShape shape() {
        return SHAPE;
    }

    @Override
    public void values(RowValues out) {
        out.at(at);
        out.integer(slot);
        out.name(origin);
        out.text(name);
        out.integer(filesCount);
        out.id(traceId);
    }
}
