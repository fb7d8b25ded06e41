package dev.capsem.sandbox.workspace.tree;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/// The attributes of one file-system object.
///
/// @param permissions the lower twelve bits of the mode: setuid, setgid, sticky, rwx
/// @param changedNanos ctime, which no program can set back
public record FileFacts(
        FileType type,
        long size,
        int permissions,
        long modifiedNanos,
        long changedNanos,
        long inode,
        int owner,
        int group,
        long device) {

    private static final String ATTRIBUTES = "unix:mode,size,lastModifiedTime,ctime,ino,uid,gid,rdev";
    private static final int FORMAT = 0xf000;
    private static final int PERMISSIONS = 0xfff;

    public static FileFacts of(Path path, LinkOption... options) throws IOException {
        Map<String, Object> stat = Files.readAttributes(path, ATTRIBUTES, options);
        int mode = (int) value(stat, "mode");
        long device = (long) value(stat, "rdev");
        return new FileFacts(
                type(mode, device),
                (long) value(stat, "size"),
                mode & PERMISSIONS,
                ((FileTime) value(stat, "lastModifiedTime")).to(TimeUnit.NANOSECONDS),
                ((FileTime) value(stat, "ctime")).to(TimeUnit.NANOSECONDS),
                (long) value(stat, "ino"),
                (int) value(stat, "uid"),
                (int) value(stat, "gid"),
                device);
    }

    /// As git writes it, which knows of files only whether they are programs: `100644`, `100755`, `120000`, `040000`.
    public String octalMode() {
        return switch (type) {
            case DIRECTORY -> "040000";
            case REGULAR -> (permissions & 0100) != 0 ? "100755" : "100644";
            case SYMLINK -> "120000";
            case WHITEOUT, SPECIAL -> "000000";
        };
    }

    private static Object value(Map<String, Object> stat, String name) {
        return Objects.requireNonNull(stat.get(name), name);
    }

    private static FileType type(int mode, long device) {
        return switch (mode & FORMAT) {
            case 0x4000 -> FileType.DIRECTORY;
            case 0x8000 -> FileType.REGULAR;
            case 0xa000 -> FileType.SYMLINK;
            case 0x2000 -> device == 0 ? FileType.WHITEOUT : FileType.SPECIAL;
            default -> FileType.SPECIAL;
        };
    }
}
