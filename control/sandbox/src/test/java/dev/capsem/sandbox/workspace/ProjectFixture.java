package dev.capsem.sandbox.workspace;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.capsem.sandbox.workspace.tree.PathText;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.UserDefinedFileAttributeView;
import java.util.List;
import java.util.Optional;

/// An original project and the upper layer of a session over it, built by hand as overlayfs would leave it.
final class ProjectFixture {
    final Path project;
    final Path session;
    final Path upper;

    ProjectFixture(Path root) throws IOException {
        project = Files.createDirectory(root.resolve("demo"));
        session = Files.createDirectory(root.resolve("session"));
        upper = Files.createDirectories(session.resolve("up/project"));
    }

    ProjectWorkspace workspace() {
        return new ProjectWorkspace(project, session, session.resolveSibling("kept"));
    }

    ProjectFixture original(String path, String text) {
        write(project.resolve(path), text);
        return this;
    }

    ProjectFixture changed(String path, String text) {
        write(upper.resolve(PathText.parse(path)), text);
        return this;
    }

    ProjectFixture deleted(String path) {
        Path at = upper.resolve(path);
        makeParents(at);
        assumeTrue(MknodNative.whiteout(at), "this kernel does not let us make a whiteout");
        return this;
    }

    ProjectFixture opaque(String path) throws IOException {
        Path directory = Files.createDirectories(upper.resolve(path));
        Files.getFileAttributeView(directory, UserDefinedFileAttributeView.class)
                .write("overlay.opaque", ByteBuffer.wrap(new byte[] {'y'}));
        return this;
    }

    ProjectFixture recorded() {
        workspace().recordManifest();
        return this;
    }

    String text(String path) throws IOException {
        return Files.readString(project.resolve(path));
    }

    static ProjectWorkspace.Choice all(String... paths) {
        return new ProjectWorkspace.Choice(List.of(paths), false);
    }

    ApplyOutcome apply(String... paths) {
        return workspace().apply(all(paths), new ProjectWorkspace.Terms(false, Optional.empty()));
    }

    ApplyOutcome force(String... paths) {
        return workspace().apply(all(paths), new ProjectWorkspace.Terms(true, Optional.empty()));
    }

    ApplyOutcome applyAs(String digest, String... paths) {
        return workspace().apply(all(paths), new ProjectWorkspace.Terms(false, Optional.of(digest)));
    }

    ProjectDiff diff(String... paths) {
        return workspace().diff(all(paths));
    }

    /// `A path`, `M path`, …, one line per change.
    List<String> changes(String... paths) {
        return workspace().changes(all(paths)).stream()
                .map(change -> change.kind() + " " + change.path())
                .toList();
    }

    private static void write(Path path, String text) {
        makeParents(path);
        try {
            Files.writeString(path, text);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private static void makeParents(Path path) {
        try {
            Files.createDirectories(path.getParent());
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }
}
