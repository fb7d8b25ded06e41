package dev.capsem.service.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.capsem.service.problem.ServiceProblem;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What a guest may leave in its workspace never leads outside.
class HostWorkspaceTest {
    @TempDir
    private Path directory = Path.of("replaced by JUnit");

    private Path root() {
        return directory.resolve("workspace");
    }

    private HostWorkspace workspace() {
        return new HostWorkspace(root());
    }

    @BeforeEach
    void prepare() throws IOException {
        Files.createDirectories(root().resolve("dir/deep"));
        Files.writeString(root().resolve("dir/file"), "inside");
        Files.writeString(directory.resolve("secret"), "outside");
        Files.createSymbolicLink(root().resolve("link"), directory.resolve("secret"));
        Files.createSymbolicLink(root().resolve("up"), Path.of(".."));
        Files.createSymbolicLink(root().resolve("inner"), Path.of("dir"));
    }

    private static void refused(ServiceProblem.Code code, ThrowingCallable asking) {
        assertThatThrownBy(asking)
                .isInstanceOfSatisfying(
                        ServiceProblem.class,
                        refusal -> assertThat(refusal.code()).isEqualTo(code));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Test
    void readsRegularFiles() {
        assertThat(workspace().read(WorkspacePath.file("dir/file"), 100)).isEqualTo(bytes("inside"));
    }

    @Test
    void readsNothingThroughLinks() {
        for (String path : List.of("link", "up/secret", "inner/file")) {
            refused(ServiceProblem.Code.PATH_OUTSIDE, () -> workspace().read(WorkspacePath.file(path), 100));
        }
    }

    @Test
    void saysWhatIsMissingTooLargeOrNoFile() {
        refused(ServiceProblem.Code.FILE_NOT_FOUND, () -> workspace().read(WorkspacePath.file("none"), 100));
        refused(ServiceProblem.Code.FILE_NOT_FOUND, () -> workspace().read(WorkspacePath.file("none/file"), 100));
        refused(ServiceProblem.Code.NOT_A_FILE, () -> workspace().read(WorkspacePath.file("dir"), 100));
        refused(ServiceProblem.Code.NOT_A_FILE, () -> workspace().read(WorkspacePath.file("dir/file/x"), 100));
        refused(ServiceProblem.Code.TOO_LARGE, () -> workspace().read(WorkspacePath.file("dir/file"), 5));
    }

    @Test
    void writesWholeFilesAndTheirParents() throws IOException {
        workspace().write(WorkspacePath.file("new/dir/data"), bytes("one"));
        workspace().write(WorkspacePath.file("dir/file"), bytes("two"));

        assertThat(root().resolve("new/dir/data")).hasContent("one");
        assertThat(root().resolve("dir/file")).hasContent("two");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(root().resolve("dir/file"))))
                .isEqualTo("rw-r--r--");
        assertThat(Files.getAttribute(root().resolve("new/dir/data"), "unix:uid"))
                .isEqualTo(Files.getAttribute(root(), "unix:uid"));
    }

    @Test
    void writesNothingThroughLinks() throws IOException {
        for (String path : List.of("link", "up/x", "up/new/x", "inner/x")) {
            refused(ServiceProblem.Code.PATH_OUTSIDE, () -> workspace().write(WorkspacePath.file(path), bytes("bad")));
        }
        refused(ServiceProblem.Code.NOT_A_FILE, () -> workspace().write(WorkspacePath.file("dir"), bytes("bad")));

        assertThat(directory.resolve("secret")).hasContent("outside");
        assertThat(directory.resolve("x")).doesNotExist();
        assertThat(directory.resolve("new")).doesNotExist();
        assertThat(root().resolve("dir/x")).doesNotExist();
    }

    @Test
    void listsLinksWithoutFollowingThem() {
        List<GuestFile> items = workspace().list(WorkspacePath.directory(""), 6);

        assertThat(items)
                .extracting(item -> item.type() + " " + item.path())
                .containsExactlyInAnyOrder(
                        "directory dir",
                        "file dir/file",
                        "directory dir/deep",
                        "symlink link",
                        "symlink up",
                        "symlink inner");
        assertThat(workspace().list(WorkspacePath.directory(""), 1)).hasSize(4);
        refused(ServiceProblem.Code.PATH_OUTSIDE, () -> workspace().list(WorkspacePath.directory("inner"), 1));
    }

    @Test
    void agentListingsBecomeTreesWithDirectoriesFirst() {
        byte[] output =
                bytes("f 3 1700000000 644 b.txt\0d 0 1700000001 755 a\0f 1 1700000002 600 a/x y\0junk\0l 1 2 777 z\0");

        var entries = Listing.ofAgent(output).below(WorkspacePath.directory(""));

        assertThat(entries).extracting(entry -> entry.name()).containsExactly("a", "b.txt", "z");
        assertThat(entries.getFirst().children())
                .extracting(entry -> entry.path())
                .containsExactly("a/x y");
        assertThat(entries.get(1).mime()).contains("text/plain");
        assertThat(entries.get(2).type()).isEqualTo("symlink");
    }
}
