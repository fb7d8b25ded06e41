package dev.capsem.sandbox.workspace.tree;

import java.nio.file.Path;
import java.util.Optional;

/// One path of the project that is not as in the original. A rename is a deletion and an addition.
///
/// @param path relative to the project
/// @param before the original, now; empty when added
/// @param after the guest's; empty when deleted
/// @param link where the guest's link points, read once: what is checked is what is written
public record Change(Path path, Kind kind, Optional<FileFacts> before, Optional<FileFacts> after, Optional<Path> link) {
    public enum Kind {
        ADDED,
        /// Other content, or a link that points elsewhere; perhaps another mode too.
        MODIFIED,
        /// Only the mode differs.
        MODE,
        /// For example a file where a directory was.
        TYPE,
        DELETED,
        /// A FIFO, socket or device, which is never brought back.
        SPECIAL,
        /// The guest closed it (mode 000) to the user we run as, or nested it too deep.
        UNREADABLE
    }

    public static Change added(Path path, FileFacts after) {
        return new Change(path, Kind.ADDED, Optional.empty(), Optional.of(after), Optional.empty());
    }

    public static Change deleted(Path path, FileFacts before) {
        return new Change(path, Kind.DELETED, Optional.of(before), Optional.empty(), Optional.empty());
    }

    public static Change unreadable(Path path) {
        return new Change(path, Kind.UNREADABLE, Optional.empty(), Optional.empty(), Optional.empty());
    }

    public Change with(Path target) {
        return new Change(path, kind, before, after, Optional.of(target));
    }

    public boolean isNow(FileType type) {
        return after.filter(facts -> facts.type() == type).isPresent();
    }

    public boolean was(FileType type) {
        return before.filter(facts -> facts.type() == type).isPresent();
    }

    /// Whether what is (or was) here is a directory, which has no lines to show.
    public boolean isDirectory() {
        return after.or(() -> before)
                .filter(facts -> facts.type() == FileType.DIRECTORY)
                .isPresent();
    }
}
