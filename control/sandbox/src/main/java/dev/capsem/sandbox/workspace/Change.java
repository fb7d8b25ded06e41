package dev.capsem.sandbox.workspace;

import java.nio.file.Path;
import java.util.Optional;

/// One path of the project that is not as in the original. A rename is a deletion and an addition.
///
/// @param path relative to the project
/// @param before the original, now; empty when added
/// @param after the guest's; empty when deleted
public record Change(Path path, Kind kind, Optional<FileFacts> before, Optional<FileFacts> after) {
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

    static Change added(Path path, FileFacts after) {
        return new Change(path, Kind.ADDED, Optional.empty(), Optional.of(after));
    }

    static Change deleted(Path path, FileFacts before) {
        return new Change(path, Kind.DELETED, Optional.of(before), Optional.empty());
    }

    static Change unreadable(Path path) {
        return new Change(path, Kind.UNREADABLE, Optional.empty(), Optional.empty());
    }

    /// Whether what is (or was) here is a directory, which has no lines to show.
    public boolean isDirectory() {
        return after.or(() -> before)
                .filter(facts -> facts.type() == FileType.DIRECTORY)
                .isPresent();
    }
}
