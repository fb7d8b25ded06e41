package dev.capsem.backends.builtin;

import dev.capsem.backends.builtin.Snapshot.Change;
import dev.capsem.backends.builtin.Snapshot.Label;
import dev.capsem.backends.builtin.SnapshotEntry.Kind;
import dev.capsem.toolserver.ToolFailure;
import java.io.IOException;
import java.security.MessageDigest;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.IntStream;

/// Takes the workspace's snapshots, compares it with them, and brings back what was in them.
final class Snapshots {
    /// Entries of the workspace; beyond them there are no snapshots.
    private static final int ENTRIES_MAX = 50_000;

    private static final int DIGEST_BYTES = 64 * 1024;

    private final WorkspaceFiles workspace;
    private final SnapshotStore store;
    private final InstantSource clock;

    Snapshots(WorkspaceFiles workspace, SnapshotStore store, InstantSource clock) {
        this.workspace = workspace;
        this.store = store;
        this.clock = clock;
    }

    Instant now() {
        return clock.instant();
    }

    // --- taking -------------------------------------------------------------------------------------------------

    Label create(String name) throws InterruptedException {
        return store.exclusively(() -> {
            List<Label> labels = store.labels();
            requireFree(name, labels);
            requireRoom();
            return save(freeNamedSlot(labels), name, contents(Set.of()));
        });
    }

    /// A named snapshot fails with the name of a file that it would lack; automatic ones leave it out.
    private void requireRoom() {
        for (WorkspaceFiles.Node node : workspace.walk(ENTRIES_MAX)) {
            if (node.kind() == Kind.FILE && !store.takes(node.size())) {
                throw new ToolFailure("there is no room for " + node.path() + ": it has " + node.size()
                        + " bytes, and all snapshots together take less; delete it, or move it out of the workspace");
            }
        }
    }

    /// Into the ring, over its oldest; nothing if the newest snapshot is the same.
    Optional<Label> automatic() throws InterruptedException {
        return store.exclusively(() -> {
            Map<String, SnapshotEntry> contents = contents(Set.of());
            String hash = Snapshot.of(0, now(), "", contents).label().hash();
            List<Label> labels = store.labels();
            if (!labels.isEmpty() && labels.getFirst().hash().equals(hash)) {
                return Optional.empty();
            }
            return Optional.of(save(ringSlot(labels, Set.of()), "", contents));
        });
    }

    private Label save(int slot, String name, Map<String, SnapshotEntry> contents) throws IOException {
        Snapshot snapshot = Snapshot.of(slot, now(), name, contents);
        store.save(snapshot);
        return snapshot.label();
    }

    private static int ringSlot(List<Label> labels, Set<Integer> kept) {
        return IntStream.range(0, Label.AUTOMATIC_SLOTS)
                .filter(number -> labels.stream().noneMatch(label -> label.slot() == number))
                .findFirst()
                .orElseGet(() -> oldestAutomatic(labels, kept).orElseThrow().slot());
    }

    private static Optional<Label> oldestAutomatic(List<Label> labels, Set<Integer> kept) {
        return labels.stream()
                .filter(label -> label.isAutomatic() && !kept.contains(label.slot()))
                .min(Comparator.comparing(Label::taken));
    }

    /// Makes room by letting go of automatic snapshots, the oldest first, but for those in `kept`.
    private Map<String, SnapshotEntry> contents(Set<Integer> kept) throws IOException, InterruptedException {
        while (true) {
            try {
                return stored();
            } catch (SnapshotStore.Full e) {
                store.delete(oldestAutomatic(store.labels(), kept)
                        .orElseThrow(() -> new ToolFailure("there is no room for another snapshot;"
                                + " delete some with snapshots_delete, or large files of the workspace")));
            }
        }
    }

    private Map<String, SnapshotEntry> stored() throws IOException, InterruptedException, SnapshotStore.Full {
        long used = store.sweep();
        Optional<Snapshot> newest = newest();
        TreeMap<String, SnapshotEntry> entries = new TreeMap<>();
        for (WorkspaceFiles.Node node : workspace.walk(ENTRIES_MAX)) {
            requireWanted();
            SnapshotEntry entry = SnapshotEntry.unread(node);
            if (entry.kind() == Kind.FILE) {
                Optional<SnapshotEntry> known = vouched(newest, entry);
                Optional<SnapshotStore.Stored> stored = known.isPresent()
                        ? Optional.of(new SnapshotStore.Stored(
                                entry.size(), known.get().content(), 0))
                        : add(entry, used);
                used += stored.map(SnapshotStore.Stored::added).orElse(0L);
                entry = stored.map(entry::withContent).orElseGet(entry::leftOut);
            }
            entries.put(entry.path(), entry);
        }
        return entries;
    }

    /// Nothing of a file that cannot be read, or for which no deletion would make room.
    private Optional<SnapshotStore.Stored> add(SnapshotEntry entry, long used) throws SnapshotStore.Full {
        if (!store.takes(entry.size())) {
            return Optional.empty();
        }
        try {
            // The store's refusal passes through a reader that knows only two kinds of failure.
            Optional<SnapshotStore.Stored> stored = workspace.reading(entry.place(), content -> {
                try {
                    return Optional.of(store.add(content, used));
                } catch (SnapshotStore.Full e) {
                    return Optional.empty();
                }
            });
            return Optional.of(stored.orElseThrow(SnapshotStore.Full::new));
        } catch (ToolFailure e) {
            return Optional.empty();
        }
    }

    private Optional<Snapshot> newest() throws IOException {
        Optional<Label> label = store.labels().stream().findFirst();
        return label.isEmpty() ? Optional.empty() : Optional.of(store.load(label.get()));
    }

    private static Optional<SnapshotEntry> vouched(Optional<Snapshot> snapshot, SnapshotEntry entry) {
        return snapshot.flatMap(taken -> Optional.ofNullable(taken.entries().get(entry.path()))
                .filter(known -> known.vouchesFor(entry, taken.label().taken())));
    }

    // --- looking ------------------------------------------------------------------------------------------------

    interface Visitor {
        void see(Snapshot snapshot);
    }

    /// One after the other, newest first: all at once may be too much to hold.
    void each(Visitor visitor) throws InterruptedException {
        store.exclusively(() -> {
            for (Label label : store.labels()) {
                visitor.see(store.load(label));
            }
            return true;
        });
    }

    /// Of a file that is there now.
    Optional<Long> size(WorkPath path) {
        try {
            return Optional.of(workspace.stat(path))
                    .filter(entry -> entry.type().equals("file"))
                    .map(WorkspaceFiles.Entry::size);
        } catch (ToolFailure e) {
            return Optional.empty();
        }
    }

    record Comparison(Label label, List<Change> changes) {}

    /// The changes of the workspace since a snapshot, by default the newest.
    Optional<Comparison> changes(Optional<String> checkpoint) throws InterruptedException {
        return store.exclusively(() -> {
            List<Label> labels = store.labels();
            if (labels.isEmpty() && checkpoint.isEmpty()) {
                return Optional.empty();
            }
            Label label = checkpoint.isPresent() ? find(checkpoint.get(), labels) : labels.getFirst();
            Snapshot snapshot = store.load(label);
            return Optional.of(new Comparison(label, snapshot.changes(present(snapshot))));
        });
    }

    /// The present entries; files are read only where `snapshot` cannot vouch for them.
    private Map<String, SnapshotEntry> present(Snapshot snapshot) throws InterruptedException {
        TreeMap<String, SnapshotEntry> entries = new TreeMap<>();
        for (WorkspaceFiles.Node node : workspace.walk(ENTRIES_MAX)) {
            requireWanted();
            SnapshotEntry entry = SnapshotEntry.unread(node);
            if (entry.kind() == Kind.FILE) {
                SnapshotEntry recorded = snapshot.entries().get(entry.path());
                boolean mayBeSame = recorded != null && recorded.size() == entry.size();
                Optional<SnapshotEntry> known = vouched(Optional.of(snapshot), entry);
                if (known.isPresent()) {
                    entry = entry.withContent(known.get().content());
                } else if (mayBeSame) {
                    entry = entry.withContent(digest(entry));
                } else if (recorded == null && !store.takes(entry.size())) {
                    // No snapshot could bring it back: it is not deleted either.
                    entry = entry.leftOut();
                }
            }
            entries.put(entry.path(), entry);
        }
        return entries;
    }

    /// Of a file that is gone by now: of nothing. Of one that grew meanwhile: no more than it had.
    private String digest(SnapshotEntry entry) {
        try {
            return workspace.reading(entry.place(), content -> {
                MessageDigest sha256 = SnapshotStore.sha256();
                byte[] chunk = new byte[DIGEST_BYTES];
                long left = entry.size();
                for (int count = 0; count >= 0 && left > 0; left -= Math.max(0, count)) {
                    count = content.read(chunk, 0, (int) Math.min(chunk.length, left));
                    sha256.update(chunk, 0, Math.max(0, count));
                }
                return HexFormat.of().formatHex(sha256.digest());
            });
        } catch (ToolFailure e) {
            return "";
        }
    }

    // --- bringing back ------------------------------------------------------------------------------------------

    /// @param label where it came from
    /// @param before the state that was overwritten, if more than one file was
    /// @param failures paths that could not be brought back, with the reason
    record Reverted(Label label, Optional<Label> before, int restored, int deleted, List<String> failures) {}

    /// One file, a directory with all below it, or, for the root, everything.
    Reverted revert(WorkPath path, Optional<String> checkpoint) throws InterruptedException {
        return store.exclusively(() -> {
            Snapshot snapshot = source(path, checkpoint);
            Map<String, SnapshotEntry> present = present(snapshot);
            boolean isKnown = path.parts().isEmpty()
                    || snapshot.entries().values().stream().anyMatch(entry -> entry.isAtOrBelow(path))
                    || present.values().stream().anyMatch(entry -> entry.isAtOrBelow(path));
            if (!isKnown) {
                throw new ToolFailure(
                        path + " is neither in " + snapshot.label().checkpoint() + " nor in the workspace");
            }
            List<Change> changes = snapshot.changes(present).stream()
                    .filter(change ->
                            change.now().or(change::before).orElseThrow().isAtOrBelow(path))
                    .toList();
            if (changes.isEmpty()) {
                throw new ToolFailure("file already matches snapshot (already current)");
            }
            boolean isOneFile = changes.size() == 1 && changes.getFirst().path().equals(path.toString());
            Optional<Label> before = isOneFile ? Optional.empty() : Optional.of(beforeRevert(snapshot.label()));
            return undo(snapshot, before, changes);
        });
    }

    private Label beforeRevert(Label source) throws IOException, InterruptedException {
        Set<Integer> kept = Set.of(source.slot());
        Map<String, SnapshotEntry> contents = contents(kept);
        return save(ringSlot(store.labels(), kept), "", contents);
    }

    private Snapshot source(WorkPath path, Optional<String> checkpoint) throws IOException {
        List<Label> labels = store.labels();
        if (checkpoint.isPresent()) {
            return store.load(find(checkpoint.get(), labels));
        }
        if (path.parts().isEmpty()) {
            throw new ToolFailure("say which checkpoint the whole workspace should go back to");
        }
        for (Label label : labels) {
            Snapshot snapshot = store.load(label);
            if (snapshot.entries().containsKey(path.toString())) {
                return snapshot;
            }
        }
        throw new ToolFailure(path + " is in no snapshot");
    }

    private Reverted undo(Snapshot snapshot, Optional<Label> before, List<Change> changes) {
        int restored = 0;
        int deleted = 0;
        List<String> failures = new ArrayList<>();
        // What is in the way goes first, from the leaves up; then things come back from the root down.
        for (Change change : changes.reversed()) {
            boolean isReplaced = change.before().isPresent()
                    && change.before().get().kind()
                            == change.now().map(SnapshotEntry::kind).orElse(Kind.LEFT_OUT);
            if (change.now().isPresent() && !isReplaced) {
                deleted += attempt(
                                change.path(),
                                failures,
                                () -> remove(change.now().get()))
                        ? 1
                        : 0;
            }
        }
        for (Change change : changes) {
            if (change.before().isPresent()) {
                SnapshotEntry entry = change.before().get();
                restored += attempt(change.path(), failures, () -> restore(entry)) ? 1 : 0;
            }
        }
        // Last, or a directory that is closed to writing could not be filled.
        for (Change change : changes.reversed()) {
            change.before()
                    .filter(entry -> entry.kind() == Kind.DIRECTORY)
                    .ifPresent(entry ->
                            attempt(change.path(), failures, () -> workspace.setMode(entry.place(), entry.mode())));
        }
        return new Reverted(snapshot.label(), before, restored, deleted, failures);
    }

    private interface Step {
        void run();
    }

    private static boolean attempt(String path, List<String> failures, Step step) {
        try {
            step.run();
            return true;
        } catch (ToolFailure e) {
            failures.add(path + ": " + e.reason());
            return false;
        }
    }

    private void remove(SnapshotEntry entry) {
        if (entry.kind() == Kind.DIRECTORY) {
            workspace.deleteDirectory(entry.place(), false);
        } else {
            workspace.deleteFile(entry.place());
        }
    }

    private void restore(SnapshotEntry entry) {
        WorkPath place = entry.place();
        if (place.parts().size() > 1) {
            workspace.createDirectory(place.parent());
        }
        switch (entry.kind()) {
            case FILE -> workspace.restore(place, entry.mode(), target -> store.copy(entry.content(), target));
            case LINK -> workspace.restoreLink(place, entry.content());
            case DIRECTORY -> workspace.createDirectory(place);
            case LEFT_OUT -> throw new ToolFailure("was not kept");
        }
    }

    // --- the pool -----------------------------------------------------------------------------------------------

    Label delete(String checkpoint) throws InterruptedException {
        return store.exclusively(() -> {
            Label label = find(checkpoint, store.labels());
            if (label.isAutomatic()) {
                throw new ToolFailure(checkpoint + " is automatic; only named snapshots are deleted by hand");
            }
            store.delete(label);
            store.sweep();
            return label;
        });
    }

    record Compacted(Label label, List<Label> merged) {}

    /// All paths of several snapshots in one, each as it was in the newest of them that has it.
    Compacted compact(List<String> checkpoints, String name) throws InterruptedException {
        return store.exclusively(() -> {
            List<Label> labels = store.labels();
            requireFree(name, labels);
            List<Label> merged = new ArrayList<>();
            for (String checkpoint : checkpoints) {
                Label label = find(checkpoint, labels);
                if (!merged.contains(label)) {
                    merged.add(label);
                }
            }
            if (merged.isEmpty()) {
                throw new ToolFailure("name the checkpoints to compact");
            }
            merged.sort(Comparator.comparing(Label::taken));
            TreeMap<String, SnapshotEntry> entries = new TreeMap<>();
            for (Label label : merged) {
                entries.putAll(store.load(label).entries());
            }
            // In place of one that it swallows, so that a full pool can be compacted.
            int slot = merged.stream()
                    .filter(label -> !label.isAutomatic())
                    .findFirst()
                    .map(Label::slot)
                    .orElse(-1);
            Snapshot whole = Snapshot.of(slot >= 0 ? slot : freeNamedSlot(labels), now(), name, entries);
            store.save(whole);
            for (Label label : merged) {
                if (label.slot() != whole.label().slot()) {
                    store.delete(label);
                }
            }
            store.sweep();
            return new Compacted(whole.label(), merged);
        });
    }

    int namedSlotsFree() throws InterruptedException {
        return store.exclusively(() -> Label.NAMED_SLOTS
                - (int) store.labels().stream()
                        .filter(label -> !label.isAutomatic())
                        .count());
    }

    private static int freeNamedSlot(List<Label> labels) {
        for (int i = 0; i < Label.NAMED_SLOTS; i++) {
            int slot = Label.AUTOMATIC_SLOTS + i;
            if (labels.stream().noneMatch(label -> label.slot() == slot)) {
                return slot;
            }
        }
        throw new ToolFailure("no manual snapshot slots available (max " + Label.NAMED_SLOTS
                + "); delete some with snapshots_delete or merge them with snapshots_compact");
    }

    private static void requireFree(String name, List<Label> labels) {
        if (!name.matches("[A-Za-z0-9_-]{1,64}")) {
            throw new ToolFailure("a name is 1 to 64 letters, digits, _ or -");
        }
        for (Label label : labels) {
            if (label.name().equals(name)) {
                throw new ToolFailure("there is a snapshot " + name + " already: " + label.checkpoint());
            }
        }
    }

    private static Label find(String checkpoint, List<Label> labels) {
        for (Label label : labels) {
            if (label.checkpoint().equals(checkpoint)) {
                return label;
            }
        }
        throw new ToolFailure("there is no checkpoint " + checkpoint + "; see snapshots_list");
    }

    /// A cancelled call stops between two files.
    private static void requireWanted() throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
    }
}
