package dev.capsem.process.watch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.events.row.FsRow;
import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
final class WorkspaceWatchTest {
    @TempDir
    private Path top;

    @TempDir
    private Path outside;

    @TempDir
    private Path upper;

    @TempDir
    private Path lower;

    private final BlockingQueue<FsRow> seen = new LinkedBlockingQueue<>();
    private final AtomicLong gaps = new AtomicLong();
    private final WorkspaceWatch watch = new WorkspaceWatch(
            FileSystems.getDefault().newWatchService(),
            InstantSource.fixed(Instant.EPOCH),
            (at, rows) -> seen.addAll(rows),
            gaps::addAndGet);

    WorkspaceWatchTest() throws IOException {}

    @BeforeEach
    void watchTheTree() throws Exception {
        Files.createDirectories(top.resolve("old"));
        Files.writeString(top.resolve("old/before.txt"), "not news");
        Files.writeString(lower.resolve("app.py"), "as the user wrote it");
        Files.createDirectory(lower.resolve("docs"));
        Files.writeString(lower.resolve("docs/page.md"), "as the user wrote it");
        Thread.ofVirtual()
                .start(() -> watch.run(List.of(
                        new WorkspaceWatch.Tree(upper, "/root/proj", Optional.of(lower)),
                        new WorkspaceWatch.Tree(top, "/root", Optional.empty()))));
        untilWatching();
    }

    @AfterEach
    void end() {
        watch.close();
    }

    @Test
    void tellsWhatTheGuestCallsIt() throws Exception {
        // With its content, whatever comes between two steps of the test.
        Path whole = Files.writeString(outside.resolve("new.txt"), "12345");
        Files.move(whole, top.resolve("old/new.txt"), StandardCopyOption.ATOMIC_MOVE);

        FsRow row = await(found -> found.path().equals("/root/old/new.txt"));

        assertThat(row.action()).isEqualTo(FsRow.Action.CREATED);
        assertThat(row.size()).hasValue(5);
    }

    @Test
    void findsFilesOfDirectoriesThatWereJustMade() throws Exception {
        Path deep = Files.createDirectories(top.resolve("a/b/c/d"));
        Files.writeString(deep.resolve("deep.txt"), "x");

        assertThat(await(found -> found.path().equals("/root/a/b/c/d/deep.txt")).action())
                .isEqualTo(FsRow.Action.CREATED);
    }

    @Test
    void tellsChangesAndDeletionsOfOldFiles() throws Exception {
        Files.writeString(top.resolve("old/before.txt"), "changed");
        assertThat(await(found -> found.path().equals("/root/old/before.txt")).action())
                .isEqualTo(FsRow.Action.MODIFIED);

        Files.delete(top.resolve("old/before.txt"));
        assertThat(await(found -> found.action() == FsRow.Action.DELETED).path())
                .isEqualTo("/root/old/before.txt");
    }

    @Test
    void aFileCopiedUpFromBelowIsModified() throws Exception {
        Files.writeString(upper.resolve("app.py"), "changed");
        assertThat(await(found -> found.path().equals("/root/proj/app.py")).action())
                .isEqualTo(FsRow.Action.MODIFIED);

        Files.createDirectory(upper.resolve("docs"));
        Files.writeString(upper.resolve("docs/page.md"), "changed");
        assertThat(await(found -> found.path().equals("/root/proj/docs/page.md"))
                        .action())
                .isEqualTo(FsRow.Action.MODIFIED);

        Files.writeString(upper.resolve("docs/new.md"), "new");
        assertThat(await(found -> found.path().equals("/root/proj/docs/new.md")).action())
                .isEqualTo(FsRow.Action.CREATED);
    }

    @Test
    void aFileRenamedOverAnotherModifiesIt() throws Exception {
        Path whole = Files.writeString(outside.resolve("saved"), "12345");
        Files.move(whole, top.resolve("old/before.txt"), StandardCopyOption.ATOMIC_MOVE);

        assertThat(await(found -> found.path().equals("/root/old/before.txt")).action())
                .isEqualTo(FsRow.Action.MODIFIED);
    }

    @Test
    void aShortLivedFileLeavesItsComingAndItsGoing() throws Exception {
        Path file = Files.writeString(top.resolve("old/short"), "x");
        Files.delete(file);

        assertThat(await(found -> found.path().equals("/root/old/short")).action())
                .isEqualTo(FsRow.Action.CREATED);
        assertThat(await(found -> found.path().equals("/root/old/short")).action())
                .isEqualTo(FsRow.Action.DELETED);
    }

    @Test
    void aLinkToADirectoryElsewhereIsAFileLikeAnyOther() throws Exception {
        Files.createSymbolicLink(top.resolve("link"), outside);
        assertThat(await(found -> found.path().equals("/root/link")).action()).isEqualTo(FsRow.Action.CREATED);

        Files.writeString(outside.resolve("secret-name.txt"), "x");
        Files.writeString(top.resolve("after.txt"), "x");

        await(found -> found.path().equals("/root/after.txt"));
        assertThat(seen).noneMatch(row -> row.path().contains("secret-name"));
    }

    @Test
    void aDirectoryNobodyMayReadStopsNothing() throws Exception {
        Path closed = Files.createDirectory(top.resolve("closed"));
        Files.setPosixFilePermissions(closed, Set.of());
        Files.writeString(top.resolve("after.txt"), "x");

        assertThat(await(found -> found.path().equals("/root/after.txt"))).isNotNull();
        Files.setPosixFilePermissions(closed, PosixFilePermissions.fromString("rwx------"));
    }

    /// The watch is on once it tells of a file made for that purpose.
    private void untilWatching() throws Exception {
        for (int i = 0; ; i++) {
            Files.writeString(top.resolve("old/probe-" + i), "");
            FsRow row = seen.poll(400, TimeUnit.MILLISECONDS);
            if (row != null) {
                return;
            }
        }
    }

    private FsRow await(Predicate<FsRow> wanted) throws InterruptedException {
        while (true) {
            FsRow row = seen.take();
            if (wanted.test(row)) {
                return row;
            }
        }
    }
}
