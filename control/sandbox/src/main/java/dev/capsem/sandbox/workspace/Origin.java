package dev.capsem.sandbox.workspace;

import dev.capsem.sandbox.workspace.git.UserRepository;
import dev.capsem.sandbox.workspace.tree.Anchor;
import dev.capsem.sandbox.workspace.tree.Content;
import dev.capsem.sandbox.workspace.tree.FileType;
import dev.capsem.sandbox.workspace.tree.PathText;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;

/// What the original was when the sandbox was made (or changes were last brought back), beside what it is now. Times,
/// size and inode tell most of it at once; where they differ, the content does.
final class Origin {
    private final Optional<ProjectManifest> manifest;
    private final BaseContents contents;
    private final Optional<UserRepository> repository;
    private final Anchor original;
    private final Map<Path, State> known = new HashMap<>();

    Origin(
            Optional<ProjectManifest> manifest,
            BaseContents contents,
            Optional<UserRepository> repository,
            Anchor original) {
        this.manifest = manifest;
        this.contents = contents;
        this.repository = repository;
        this.original = original;
    }

    sealed interface State {
        /// As it was, by content.
        record Same() implements State {}

        /// Not there at create.
        record Appeared() implements State {}

        /// @param base what it held then, if that is known
        /// @param isGone whether nothing is there now
        record Moved(Optional<byte[]> base, boolean isGone) implements State {
            boolean held(byte[] content) {
                return base.filter(bytes -> Arrays.equals(bytes, content)).isPresent();
            }
        }
    }

    State of(Path path) {
        return known.computeIfAbsent(path, this::look);
    }

    /// The permissions at create, if they are known.
    Optional<Integer> permissions(Path path) {
        return manifest.flatMap(given -> given.entry(path))
                .map(entry -> entry.facts().permissions())
                .filter(permissions -> permissions != ProjectManifest.PERMISSIONS_UNKNOWN);
    }

    private State look(Path path) {
        if (manifest.isEmpty()) {
            return new State.Same();
        }
        Optional<ProjectManifest.Entry> entry = manifest.get().entry(path);
        try {
            Optional<Anchor> opened = original.descend(path);
            if (opened.isEmpty()) {
                return entry.<State>map(then -> new State.Moved(content(path, then), true))
                        .orElseGet(State.Same::new);
            }
            try (Anchor now = opened.get()) {
                return entry.map(then -> compare(path, then, now)).orElseGet(State.Appeared::new);
            }
        } catch (IOException closed) {
            return new State.Moved(Optional.empty(), false);
        }
    }

    private State compare(Path path, ProjectManifest.Entry then, Anchor now) {
        if (then.describes(now.facts())) {
            return new State.Same();
        }
        try {
            if (then.type() != now.type() || then.base() instanceof ContentAtCreate.Unknown) {
                return new State.Moved(content(path, then), false);
            }
            if (then.base() instanceof ContentAtCreate.Hash(String hash)) {
                return isHash(hash, now) ? new State.Same() : new State.Moved(Optional.empty(), false);
            }
            if (then.base() instanceof ContentAtCreate.Blob(String name) && isBlob(name, now)) {
                return new State.Same();
            }
            Optional<byte[]> present = present(path, now);
            Optional<byte[]> base = content(path, then);
            boolean isSame = base.isPresent() && present.isPresent() && Arrays.equals(base.get(), present.get());
            return isSame ? new State.Same() : new State.Moved(base, false);
        } catch (IOException closed) {
            return new State.Moved(Optional.empty(), false);
        }
    }

    private Optional<byte[]> present(Path path, Anchor now) throws IOException {
        return switch (now.type()) {
            case REGULAR -> Content.bytes(now, ProjectDiff.SHOWN_FILE_BYTES_MAX);
            case SYMLINK -> {
                try (Anchor parent = ProjectApply.parent(original, path)) {
                    yield Optional.of(PathText.bytes(parent.linkTarget(path.getFileName())));
                }
            }
            case DIRECTORY, WHITEOUT, SPECIAL -> Optional.empty();
        };
    }

    private Optional<byte[]> content(Path path, ProjectManifest.Entry then) {
        try {
            return switch (then.base()) {
                case ContentAtCreate.Unknown() -> Optional.empty();
                case ContentAtCreate.Hash _ -> Optional.empty();
                case ContentAtCreate.Stored stored -> Optional.of(contents.read(stored));
                case ContentAtCreate.Blob(String name) -> repository.flatMap(git -> git.blob(name, path));
            };
        } catch (IOException lost) {
            return Optional.empty();
        }
    }

    private static boolean isHash(String hash, Anchor file) throws IOException {
        if (file.type() != FileType.REGULAR) {
            return false;
        }
        try (var in = file.read()) {
            byte[] digest = Content.digest(Content.sha256(), in, file.facts().size());
            return HexFormat.of().formatHex(digest).equals(hash);
        }
    }

    private static boolean isBlob(String name, Anchor file) throws IOException {
        if (file.type() != FileType.REGULAR) {
            return false;
        }
        try (var in = file.read()) {
            return Content.blobName(
                            name.length() == 64 ? "SHA-256" : "SHA-1",
                            in,
                            file.facts().size())
                    .equals(name);
        }
    }
}
