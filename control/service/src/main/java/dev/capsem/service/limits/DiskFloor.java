package dev.capsem.service.limits;

import dev.capsem.sandbox.room.FilesystemRoom;
import dev.capsem.service.problem.ServiceProblem;
import dev.capsem.wire.service.StatusReply;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/// The room that no sandbox may take on the filesystem of all: what sandboxes did must still be written down.
///
/// @param directory where the sandboxes are
/// @param megabytes as configured; small filesystems keep less
public record DiskFloor(Path directory, int megabytes) {
    private static final long MEGABYTE = 1_048_576;
    /// Of a small filesystem this part is kept instead.
    private static final int PART_MIN = 20;
    /// Of the files that a filesystem can take, this part is kept.
    private static final int FILES_PART = 50;
    /// How many times the floor is left when closer attention begins.
    private static final int ALERT = 4;

    public long bytesMin(FilesystemRoom room) {
        return Math.min(megabytes * MEGABYTE, room.bytesTotal() / PART_MIN);
    }

    public long filesMin(FilesystemRoom room) {
        return room.filesTotal() / FILES_PART;
    }

    public boolean isNear(FilesystemRoom room) {
        return room.bytesFree() < ALERT * bytesMin(room);
    }

    public FilesystemRoom room() throws IOException {
        return FilesystemRoom.of(directory);
    }

    /// The problem, if there is less left.
    public Optional<StatusReply.Problem> problem() {
        try {
            return problem(room());
        } catch (IOException e) {
            return Optional.of(new StatusReply.Problem(
                    "disk_unknown", String.valueOf(e.getMessage()), "check that " + directory + " is there"));
        }
    }

    Optional<StatusReply.Problem> problem(FilesystemRoom room) {
        String remedy = "free some room, for example by `capsem purge`, or lower disk_free_mb in service.toml";
        if (room.bytesFree() < bytesMin(room)) {
            return Optional.of(new StatusReply.Problem(
                    "disk_full",
                    "the disk of " + directory + " is full: " + room.bytesFree() / MEGABYTE + " MB are left, "
                            + bytesMin(room) / MEGABYTE + " MB are kept for the record",
                    remedy));
        }
        if (room.filesFree() < filesMin(room)) {
            return Optional.of(new StatusReply.Problem(
                    "disk_full",
                    "the disk of " + directory + " can take only " + room.filesFree() + " more files, " + filesMin(room)
                            + " are kept for the record",
                    remedy));
        }
        return Optional.empty();
    }

    /// Refuses what would need more room.
    public void require() {
        problem().ifPresent(problem -> {
            throw new ServiceProblem(ServiceProblem.Code.DISK_FULL, problem.cause(), problem.remedy());
        });
    }
}
