package dev.capsem.service.limits;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.sandbox.LayerUse;
import dev.capsem.sandbox.room.FilesystemRoom;
import dev.capsem.wire.SandboxId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What a disk must keep, and what a sandbox may take of it.
class DiskLimitsTest {
    private static final long MEGABYTE = 1_048_576;

    @Test
    void aQuotaIsPassedByBytesOrByNumber() {
        DiskQuota quota = new DiskQuota(64);

        assertThat(quota.passedBy(new LayerUse(64 * MEGABYTE, 8_192))).isEmpty();
        assertThat(quota.passedBy(new LayerUse(64 * MEGABYTE + 1, 1)))
                .contains("stopped: its files passed the quota of 64 MB");
        assertThat(quota.passedBy(new LayerUse(0, 8_193)))
                .contains("stopped: it has more than the 8192 files that go with a quota of 64 MB");
    }

    @Test
    void theRemedyNamesAQuotaThatWouldDo() {
        for (LayerUse use : List.of(new LayerUse(64 * MEGABYTE + 1, 1), new LayerUse(1, 8_193), LayerUse.NOTHING)) {
            assertThat(DiskQuota.neededBy(use).passedBy(use)).isEmpty();
        }
        assertThat(DiskQuota.neededBy(new LayerUse(0, 8_193)).megabytes()).isEqualTo(65);
    }

    @Test
    void aFullDiskIsNamedWithWhatIsLeft() {
        DiskFloor floor = new DiskFloor(Path.of("/home/me/.capsem/run"), 512);

        assertThat(floor.problem(room(512, 100_000))).isEmpty();
        assertThat(floor.problem(room(511, 100_000)).orElseThrow().cause())
                .isEqualTo("the disk of /home/me/.capsem/run is full: 511 MB are left, 512 MB are kept for the record");
        assertThat(floor.problem(room(5_000, 1_999)).orElseThrow().cause())
                .isEqualTo("the disk of /home/me/.capsem/run can take only 1999 more files, 2000 are kept for the"
                        + " record");
    }

    @Test
    void aSmallDiskKeepsAPart() {
        DiskFloor floor = new DiskFloor(Path.of("/small"), 512);
        FilesystemRoom small = new FilesystemRoom(700 * MEGABYTE, 36 * MEGABYTE, 0, 0);

        assertThat(floor.bytesMin(small)).isEqualTo(35 * MEGABYTE);
        assertThat(floor.problem(small)).isEmpty();
        assertThat(floor.isNear(small)).isTrue();
    }

    /// btrfs and its like count no files.
    @Test
    void whereFilesAreNotCountedTheyDoNotRunOut() {
        DiskFloor floor = new DiskFloor(Path.of("/btrfs"), 512);

        assertThat(floor.problem(new FilesystemRoom(100_000 * MEGABYTE, 50_000 * MEGABYTE, 0, 0)))
                .isEmpty();
    }

    @Test
    void theRoomOfARealDiskIsTold(@TempDir Path directory) throws IOException {
        FilesystemRoom room = FilesystemRoom.of(directory);

        assertThat(room.bytesTotal()).isEqualTo(Files.getFileStore(directory).getTotalSpace());
        assertThat(room.bytesFree()).isPositive().isLessThan(room.bytesTotal());
        assertThat(room.filesFree()).isLessThanOrEqualTo(room.filesTotal());
    }

    @Test
    void onlyTheNewestEndingsAreKept() {
        Endings endings = new Endings();
        for (int i = 0; i < 300; i++) {
            endings.put(new SandboxId("s" + i), "stopped: " + i);
        }

        assertThat(endings.of(new SandboxId("s0"))).isEmpty();
        assertThat(endings.of(new SandboxId("s299"))).contains("stopped: 299");
        endings.forget(new SandboxId("s299"));
        assertThat(endings.of(new SandboxId("s299"))).isEmpty();
    }

    private static FilesystemRoom room(long megabytesFree, long filesFree) {
        return new FilesystemRoom(100_000 * MEGABYTE, megabytesFree * MEGABYTE, 100_000, filesFree);
    }
}
