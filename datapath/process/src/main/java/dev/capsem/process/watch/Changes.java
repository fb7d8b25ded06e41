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

/// Changes seen since the last look, one per path: an editor that writes a file ten times in a burst changed it once.
final class Changes {
    /// Distinct paths of one burst; further ones are missed, and counted.
    static final int PATHS_MAX = 8_192;

    private final Map<String, FsRow.Action> pending = new LinkedHashMap<>();
    private long missed;

    void add(String path, FsRow.Action action) {
        FsRow.Action before = pending.get(path);
        if (before == null && pending.size() >= PATHS_MAX) {
            missed++;
            return;
        }
        if (before == FsRow.Action.CREATED && action == FsRow.Action.DELETED) {
            pending.remove(path);
            return;
        }
        pending.put(path, before == null ? action : joined(before, action));
    }

    boolean isEmpty() {
        return pending.isEmpty();
    }

    /// @param size looked up now, as the burst is over; absent when the file is gone
    List<FsRow> take(Instant at, Function<String, OptionalLong> size) {
        List<FsRow> rows = new ArrayList<>(pending.size());
        pending.forEach((path, action) -> rows.add(new FsRow(
                at,
                action,
                path,
                action == FsRow.Action.DELETED ? OptionalLong.empty() : size.apply(path),
                Optional.empty())));
        pending.clear();
        return rows;
    }

    long takeMissed() {
        long count = missed;
        missed = 0;
        return count;
    }

    private static FsRow.Action joined(FsRow.Action before, FsRow.Action action) {
        return switch (before) {
            case CREATED -> FsRow.Action.CREATED;
            case DELETED -> action == FsRow.Action.CREATED ? FsRow.Action.MODIFIED : action;
            case MODIFIED, RESTORED -> action;
        };
    }
}
