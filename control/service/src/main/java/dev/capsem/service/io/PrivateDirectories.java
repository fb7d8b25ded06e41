package dev.capsem.service.io;

import dev.capsem.wire.HomeLayout;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Set;

/// The directories of a home, mode 0700, ours.
public final class PrivateDirectories {
    private static final Set<PosixFilePermission> PRIVATE = PosixFilePermissions.fromString("rwx------");

    private PrivateDirectories() {}

    public static void create(HomeLayout layout) throws IOException {
        Files.createDirectories(layout.home());
        for (Path directory : List.of(
                layout.runDir(),
                layout.instancesDir(),
                layout.sessionsDir(),
                layout.persistentDir(),
                layout.crashDir(),
                layout.mainDatabase().resolveSibling("."))) {
            create(directory.normalize());
        }
        create(layout.shortDir());
        Path socketDir = layout.serviceSocket().resolveSibling(".").normalize();
        if (!Files.isDirectory(socketDir)) {
            create(socketDir);
        }
    }

    /// Also against another user who made a directory of that name in the temp directory before us.
    private static void create(Path directory) throws IOException {
        if (!Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)) {
            Files.createDirectories(directory, PosixFilePermissions.asFileAttribute(PRIVATE));
        }
        Object owner = Files.getAttribute(directory, "unix:uid", LinkOption.NOFOLLOW_LINKS);
        Object us = Files.getAttribute(Path.of("/proc/self"), "unix:uid");
        if (!owner.equals(us)) {
            throw new IOException(directory + " belongs to another user; remove it or set CAPSEM_RUN_DIR");
        }
        Files.setPosixFilePermissions(directory, PRIVATE);
    }
}
