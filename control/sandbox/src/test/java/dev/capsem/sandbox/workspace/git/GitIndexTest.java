package dev.capsem.sandbox.workspace.git;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.sandbox.workspace.launch.HostGit;
import dev.capsem.sandbox.workspace.tree.FileFacts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.Arrays;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Indexes that git itself wrote.
@Tag("sockets")
class GitIndexTest {
    private static final HostGit GIT = HostGit.ofThisUser();
    private static final Instant LONG_AGO = Instant.parse("2020-01-01T00:00:00Z");

    @TempDir
    Path work;

    @ParameterizedTest
    @CsvSource({"2, sha1", "3, sha1", "4, sha1", "2, sha256", "4, sha256"})
    void knowsTheContentOfWhatDidNotChange(int version, String format) throws IOException {
        git("init", "--quiet", "--template=", "--object-format=" + format);
        add("a.txt", "a\n");
        add("dir/b with spaces.txt", "b\n");
        add("dir/b with spaces.txt.more", "c\n");
        Files.createSymbolicLink(work.resolve("link"), Path.of("a.txt"));
        git("add", "-A");
        asVersion(version);

        GitIndex index = index();

        assertThat(version()).isEqualTo(version);
        for (String path : new String[] {"a.txt", "dir/b with spaces.txt", "dir/b with spaces.txt.more"}) {
            assertThat(index.isTracked(Path.of(path))).as(path).isTrue();
            assertThat(index.blobOf(Path.of(path), facts(path)))
                    .contains(GIT.run(work, "rev-parse", ":" + path).text());
        }
        assertThat(index.isTracked(Path.of("link"))).isTrue();
        assertThat(index.isTracked(Path.of("dir"))).isFalse();
    }

    @Test
    void saysNothingOfAFileThatChangedOrMayHave() throws IOException {
        git("init", "--quiet", "--template=");
        add("changed.txt", "a\n");
        add("touched.txt", "b\n");
        Files.writeString(work.resolve("racy.txt"), "c\n");
        git("add", "-A");
        Files.setLastModifiedTime(work.resolve(".git/index"), FileTime.from(LONG_AGO.plusSeconds(60)));
        Files.writeString(work.resolve("changed.txt"), "x\n");
        Files.setLastModifiedTime(work.resolve("touched.txt"), FileTime.from(LONG_AGO.plusSeconds(1)));

        GitIndex index = index();

        for (String path : new String[] {"changed.txt", "touched.txt", "racy.txt"}) {
            assertThat(index.isTracked(Path.of(path))).isTrue();
            assertThat(index.blobOf(Path.of(path), facts(path))).as(path).isEmpty();
        }
    }

    @Test
    void aSplitIndexIsReadWithThePartItIsSplitFrom() throws IOException {
        git("init", "--quiet", "--template=");
        add("a.txt", "a\n");
        add("b.txt", "b\n");
        git("add", "-A");
        git("update-index", "--split-index");
        add("new.txt", "n\n");
        Files.writeString(work.resolve("b.txt"), "changed\n");
        Files.setLastModifiedTime(work.resolve("b.txt"), FileTime.from(LONG_AGO.plusSeconds(5)));
        git("add", "-A");

        GitIndex index = index();

        assertThat(index.isTracked(Path.of("new.txt"))).isTrue();
        assertThat(index.isTracked(Path.of("b.txt"))).isTrue();
        assertThat(index.blobOf(Path.of("a.txt"), facts("a.txt")))
                .contains(GIT.run(work, "rev-parse", ":a.txt").text());
        assertThat(index.blobOf(Path.of("b.txt"), facts("b.txt")))
                .isNotEqualTo(Optional.of("61780798228d17af2d34fce4cfbdf35556832472"));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 4, 11, 40, 73, 90})
    void anIndexThatIsCutOffSaysNothingFalse(int length) throws IOException {
        git("init", "--quiet", "--template=");
        add("a.txt", "a\n");
        git("add", "-A");
        Path file = work.resolve(".git/index");
        byte[] whole = Files.readAllBytes(file);
        Files.write(file, Arrays.copyOf(whole, length));

        assertThat(index().isTracked(Path.of("b.txt"))).isFalse();
    }

    @Test
    void submodulesAreNamed() throws IOException {
        git("init", "--quiet", "--template=");
        git("update-index", "--add", "--cacheinfo", "160000,c0ffeec0ffeec0ffeec0ffeec0ffeec0ffeec0ff,libs/sub");

        assertThat(index().submodules()).containsExactly(Path.of("libs/sub"));
    }

    private void asVersion(int version) {
        if (version == 3) {
            // Extended flags need version 3.
            git("update-index", "--skip-worktree", "dir/b with spaces.txt");
        } else {
            git("update-index", "--index-version", Integer.toString(version));
        }
    }

    private int version() throws IOException {
        return Files.readAllBytes(work.resolve(".git/index"))[7];
    }

    private GitIndex index() {
        return GitIndex.of(GitPlace.of(work).orElseThrow());
    }

    /// With a time long before the index's: git trusts only those.
    private void add(String path, String text) throws IOException {
        Files.createDirectories(work.resolve(path).getParent());
        Files.writeString(work.resolve(path), text);
        Files.setLastModifiedTime(work.resolve(path), FileTime.from(LONG_AGO));
    }

    private FileFacts facts(String path) throws IOException {
        return FileFacts.of(work.resolve(path), LinkOption.NOFOLLOW_LINKS);
    }

    private void git(String... arguments) {
        HostGit.Result result = GIT.run(work, arguments);
        assertThat(result.succeeded()).as(result.complaint()).isTrue();
    }
}
