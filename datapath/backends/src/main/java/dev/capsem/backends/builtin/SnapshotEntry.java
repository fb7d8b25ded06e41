package dev.capsem.backends.builtin;

import dev.capsem.wire.json.Json;
import dev.capsem.wire.json.JsonMembers;
import java.time.Instant;
import tools.jackson.databind.node.ObjectNode;

/// One path of the workspace at the time of a snapshot.
///
/// @param mode as `ls` writes it, `rwxr-x---`
/// @param size in bytes; 0 for what is no file
/// @param identity tells a file from another that later has its name
/// @param content the SHA-256 of a file, the target of a link, else empty
record SnapshotEntry(
        String path, Kind kind, String mode, long size, long modifiedNanos, String identity, String content) {
    /// `LEFT_OUT` is what cannot be kept: sockets, pipes, files that nobody here may read or that are larger than all
    /// snapshots may be. It is left alone.
    enum Kind {
        FILE,
        DIRECTORY,
        LINK,
        LEFT_OUT
    }

    /// A file changed again within this time may still have the same time stamp.
    private static final long STAMP_NANOS = 2_000_000_000L;

    /// The facts of a walk, without the file's contents.
    static SnapshotEntry unread(WorkspaceFiles.Node node) {
        return new SnapshotEntry(
                node.path(),
                node.kind(),
                node.mode(),
                node.kind() == Kind.FILE ? node.size() : 0,
                node.modifiedNanos(),
                node.identity(),
                node.kind() == Kind.LINK ? node.linkTarget() : "");
    }

    SnapshotEntry withContent(String digest) {
        return new SnapshotEntry(path, kind, mode, size, modifiedNanos, identity, digest);
    }

    SnapshotEntry withContent(SnapshotStore.Stored stored) {
        return new SnapshotEntry(path, kind, mode, stored.bytes(), modifiedNanos, identity, stored.digest());
    }

    SnapshotEntry leftOut() {
        return new SnapshotEntry(path, Kind.LEFT_OUT, mode, 0, modifiedNanos, identity, "");
    }

    WorkPath place() {
        return WorkPath.parse(path);
    }

    boolean isAtOrBelow(WorkPath root) {
        String prefix = root.toString();
        return prefix.isEmpty() || path.equals(prefix) || path.startsWith(prefix + "/");
    }

    /// Whether a file that now looks like `now` surely has the content it had, so that nobody need read it again.
    boolean vouchesFor(SnapshotEntry now, Instant taken) {
        return kind == Kind.FILE
                && now.kind == Kind.FILE
                && size == now.size
                && modifiedNanos == now.modifiedNanos
                && identity.equals(now.identity)
                && modifiedNanos < taken.getEpochSecond() * 1_000_000_000L + taken.getNano() - STAMP_NANOS;
    }

    ObjectNode toJson() {
        return Json.object()
                .put("path", path)
                .put("kind", kind.name())
                .put("mode", mode)
                .put("size", size)
                .put("modified", modifiedNanos)
                .put("identity", identity)
                .put("content", content);
    }

    static SnapshotEntry of(JsonMembers json) {
        return new SnapshotEntry(
                json.text("path"),
                Kind.valueOf(json.text("kind")),
                json.text("mode"),
                json.number("size"),
                json.number("modified"),
                json.text("identity"),
                json.text("content"));
    }
}
