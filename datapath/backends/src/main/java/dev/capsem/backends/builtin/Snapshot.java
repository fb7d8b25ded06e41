package dev.capsem.backends.builtin;

import dev.capsem.wire.json.Json;
import dev.capsem.wire.json.JsonMembers;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import tools.jackson.databind.node.ObjectNode;

/// The workspace at one moment.
///
/// @param entries by path
record Snapshot(Label label, NavigableMap<String, SnapshotEntry> entries) {
    Snapshot {
        entries = Collections.unmodifiableNavigableMap(new TreeMap<>(entries));
    }

    /// @param name empty for an automatic one
    /// @param hash of all that is in it
    record Label(int slot, Instant taken, String name, String hash, int filesCount) {
        static final int AUTOMATIC_SLOTS = 10;
        static final int NAMED_SLOTS = 12;

        boolean isAutomatic() {
            return slot < AUTOMATIC_SLOTS;
        }

        String checkpoint() {
            return "cp-" + slot;
        }

        String origin() {
            return isAutomatic() ? "auto" : "manual";
        }

        String age(Instant now) {
            long seconds = Math.max(0, now.getEpochSecond() - taken.getEpochSecond());
            if (seconds < 60) {
                return seconds + "s ago";
            }
            if (seconds < 3_600) {
                return seconds / 60 + "m ago";
            }
            return seconds < 86_400 ? seconds / 3_600 + "h ago" : seconds / 86_400 + "d ago";
        }

        ObjectNode toJson() {
            return Json.object()
                    .put("slot", slot)
                    .put("timestamp", taken.toString())
                    .put("epoch_secs", taken.getEpochSecond())
                    .put("epoch_millis", taken.toEpochMilli())
                    .put("origin", origin())
                    .put("name", name)
                    .put("hash", hash)
                    .put("files_count", filesCount);
        }

        static Label of(JsonMembers json) {
            return new Label(
                    json.integer("slot"),
                    Instant.parse(json.text("timestamp")),
                    json.text("name"),
                    json.text("hash"),
                    json.integer("files_count"));
        }
    }

    static Snapshot of(int slot, Instant taken, String name, Map<String, SnapshotEntry> entries) {
        TreeMap<String, SnapshotEntry> sorted = new TreeMap<>(entries);
        int files = (int) sorted.values().stream()
                .filter(entry -> entry.kind() == SnapshotEntry.Kind.FILE)
                .count();
        return new Snapshot(new Label(slot, taken, name, hash(sorted), files), sorted);
    }

    /// Of what restoring it would bring back; not of time stamps.
    private static String hash(NavigableMap<String, SnapshotEntry> entries) {
        MessageDigest sha256 = SnapshotStore.sha256();
        for (SnapshotEntry entry : entries.values()) {
            String line = String.join("\0", entry.path(), entry.kind().name(), entry.mode(), entry.content());
            sha256.update((line + "\n").getBytes(StandardCharsets.UTF_8));
        }
        return HexFormat.of().formatHex(sha256.digest());
    }

    /// A path that is not the same on two sides.
    ///
    /// @param before absent if it is new
    /// @param now absent if it is gone
    record Change(String path, Optional<SnapshotEntry> before, Optional<SnapshotEntry> now) {
        boolean isSymlink() {
            return now.or(() -> before)
                    .filter(entry -> entry.kind() == SnapshotEntry.Kind.LINK)
                    .isPresent();
        }

        Optional<Long> size() {
            return now.filter(entry -> entry.kind() == SnapshotEntry.Kind.FILE).map(SnapshotEntry::size);
        }

        /// @param created the word for what was not there before
        String operation(String created) {
            return before.isEmpty() ? created : now.isEmpty() ? "deleted" : "modified";
        }
    }

    /// From this one to `now`, in the order of the paths. What either side left out is no change.
    List<Change> changes(Map<String, SnapshotEntry> now) {
        List<Change> changes = new ArrayList<>();
        TreeMap<String, SnapshotEntry> all = new TreeMap<>(entries);
        now.forEach(all::putIfAbsent);
        for (String path : all.keySet()) {
            Optional<SnapshotEntry> before = Optional.ofNullable(entries.get(path));
            Optional<SnapshotEntry> after = Optional.ofNullable(now.get(path));
            if (!isLeftOut(before) && !isLeftOut(after) && !isSame(before, after)) {
                changes.add(new Change(path, before, after));
            }
        }
        return changes;
    }

    private static boolean isLeftOut(Optional<SnapshotEntry> entry) {
        return entry.filter(found -> found.kind() == SnapshotEntry.Kind.LEFT_OUT)
                .isPresent();
    }

    private static boolean isSame(Optional<SnapshotEntry> before, Optional<SnapshotEntry> after) {
        return before.isPresent()
                && after.isPresent()
                && before.get().kind() == after.get().kind()
                && before.get().mode().equals(after.get().mode())
                && before.get().content().equals(after.get().content());
    }
}
