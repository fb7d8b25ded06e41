package dev.capsem.events.row;

import dev.capsem.events.vocabulary.TraceId;
import dev.capsem.events.vocabulary.WireNamed;
import java.time.Instant;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;

/// A file of the workspace changed. One `file.activity` event carries all changes seen in one look, so that
/// unpacking an archive costs one event and as many of these rows as there are files.
///
/// @param path as the sandbox sees it
/// @param size in bytes; absent when the file is gone
public record FsRow(Instant at, Action action, String path, OptionalLong size, Optional<TraceId> traceId)
        implements Projection {
    public static final RowShape SHAPE = RowShape.of("fs_events", "timestamp", "action", "path", "size", "trace_id");

    /// The kind of change.
    public enum Action implements WireNamed {
        CREATED,
        MODIFIED,
        DELETED,
        RESTORED;

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
        out.name(action);
        out.text(path);
        out.integer(size);
        out.id(traceId);
    }
}
