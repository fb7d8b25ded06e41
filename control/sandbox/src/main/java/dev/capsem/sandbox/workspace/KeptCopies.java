package dev.capsem.sandbox.workspace;

import dev.capsem.sandbox.workspace.tree.Anchor;
import dev.capsem.sandbox.workspace.tree.FileType;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Optional;

/// What the user had where `apply` writes, kept before it is overwritten: `cp -a DIRECTORY/. PROJECT/` brings it back.
final class KeptCopies {
    private final Path directory;
    private boolean isUsed;

    /// @param directory a fresh name; made when the first copy is kept
    KeptCopies(Path directory) {
        this.directory = directory;
    }

    /// Keeps a file or link of the original; of a directory there is nothing to lose but its name.
    void keep(Anchor original, Path path) throws IOException {
        Optional<Anchor> opened = original.descend(path);
        if (opened.isEmpty()) {
            return;
        }
        try (Anchor present = opened.get();
                Anchor parent = ProjectApply.parent(original, path)) {
            Path target = directory.resolve(path);
            isUsed = true;
            if (present.type() == FileType.DIRECTORY) {
                Files.createDirectories(target);
                return;
            }
            Files.createDirectories(target.getParent());
            Path source = parent.path().resolve(path.getFileName());
            try {
                // The file itself: what is written takes its name, not its content.
                Files.createLink(target, source);
            } catch (FileSystemException | UnsupportedOperationException elsewhere) {
                Files.copy(source, target, StandardCopyOption.COPY_ATTRIBUTES, LinkOption.NOFOLLOW_LINKS);
            }
        }
    }

    Optional<Path> used() {
        return isUsed ? Optional.of(directory) : Optional.empty();
    }
}
