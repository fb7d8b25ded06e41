package dev.capsem.process.watch;

import dev.capsem.events.row.FsRow;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Function;

/// Changes seen since the last look, one per path: an editor that writes a file ten times in a burst changed it once. A
/// file that came and went within the burst leaves both facts.
final class Changes {
    /// Distinct paths of one burst; further ones are missed, and counted.
    static final int PATHS_MAX = 8_192;

    private enum Change {
        CREATED,
        MODIFIED,
        DELETED,
        SHORT_LIVED
    }

    private final Map<String, Change> pending = new LinkedHashMap<>();
    private long missed;

    void add(String path, FsRow.Action action) {
        Change before = pending.get(path);
        if (before == null && pending.size() >= PATHS_MAX) {
            missed++;
            return;
        }
        pending.put(path, before == null ? first(action) : joined(before, action));
    }

    boolean isEmpty() {
        return pending.isEmpty();
    }

    /// @param size looked up now, as the burst is over; absent when the file is gone
    List<FsRow> take(Instant at, Function<String, OptionalLong> size) {
        List<FsRow> rows = new ArrayList<>(pending.size());
        pending.forEach((path, change) -> {
            switch (change) {
                case CREATED -> rows.add(row(at, FsRow.Action.CREATED, path, size.apply(path)));
                case MODIFIED -> rows.add(row(at, FsRow.Action.MODIFIED, path, size.apply(path)));
                case DELETED -> rows.add(row(at, FsRow.Action.DELETED, path, OptionalLong.empty()));
                case SHORT_LIVED -> {
                    rows.add(row(at, FsRow.Action.CREATED, path, OptionalLong.empty()));
                    rows.add(row(at, FsRow.Action.DELETED, path, OptionalLong.empty()));
                }
            }
        });
        pending.clear();
        return rows;
    }

    long takeMissed() {
        long count = missed;
        missed = 0;
        return count;
    }

    private static FsRow row(Instant at, FsRow.Action action, String path, OptionalLong size) {
        return new FsRow(at, action, path, size, Optional.empty());
    }

    private static Change first(FsRow.Action action) {
        return switch (action) {
            case CREATED -> Change.CREATED;
            case MODIFIED, RESTORED -> Change.MODIFIED;
            case DELETED -> Change.DELETED;
        };
    }

    private static Change joined(Change before, FsRow.Action action) {
        return switch (before) {
            case CREATED -> action == FsRow.Action.DELETED ? Change.SHORT_LIVED : Change.CREATED;
            case SHORT_LIVED -> action == FsRow.Action.DELETED ? Change.SHORT_LIVED : Change.CREATED;
            case DELETED -> action == FsRow.Action.DELETED ? Change.DELETED : Change.MODIFIED;
            case MODIFIED -> action == FsRow.Action.DELETED ? Change.DELETED : Change.MODIFIED;
        };
    }
}
