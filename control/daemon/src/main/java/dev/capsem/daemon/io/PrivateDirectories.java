package dev.capsem.daemon.io;

import dev.capsem.wire.HomeLayout;
import java.io.IOException;
import java.nio.charset.MalformedInputException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.random.RandomGenerator;

/// The directories of a home, mode 0700, ours.
public final class PrivateDirectories {
    private static final Set<PosixFilePermission> PRIVATE = PosixFilePermissions.fromString("rwx------");

    /// Nobody guesses them.
    private static final int SHORT_NAME_BYTES = 8;

    /// In the directory of sockets: whose it is. No guest sees it.
    private static final String RUN_DIR = "run_dir";

    private PrivateDirectories() {}

    /// Whose a directory of sockets is; empty if it does not say.
    static Optional<Path> runDirOf(Path shortDir) throws IOException {
        try {
            return Optional.of(
                            Path.of(Files.readString(shortDir.resolve(RUN_DIR)).strip()))
                    .filter(Path::isAbsolute);
        } catch (NoSuchFileException | MalformedInputException | InvalidPathException unsaid) {
            return Optional.empty();
        }
    }

    /// Whether it belongs to whoever this program runs as.
    static boolean isOurs(Path directory) throws IOException {
        Object owner = Files.getAttribute(directory, "unix:uid", LinkOption.NOFOLLOW_LINKS);
        return owner.equals(Files.getAttribute(Path.of("/proc/self"), "unix:uid"));
    }

    /// The layout as it is used from now on: another program of the machine may have taken the name of a directory that
    /// every user may write beside.
    public static HomeLayout create(HomeLayout wanted, RandomGenerator random) throws IOException {
        HomeLayout layout = wanted;
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
        layout = createShortDir(layout, random);
        Files.writeString(layout.shortDir().resolve(RUN_DIR), layout.runDir() + "\n");
        Path socketDir = layout.serviceSocket().resolveSibling(".").normalize();
        if (!Files.isDirectory(socketDir)) {
            create(socketDir);
        }
        return layout;
    }

    private static HomeLayout createShortDir(HomeLayout layout, RandomGenerator random) throws IOException {
        Path usual = layout.shortDir();
        try {
            create(usual);
            return layout;
        } catch (IOException taken) {
            byte[] name = new byte[SHORT_NAME_BYTES];
            random.nextBytes(name);
            Path unfinished = layout.shortNameFile().resolveSibling("short_name.new");
            Files.writeString(unfinished, "cs-" + HexFormat.of().formatHex(name) + "\n");
            Files.move(unfinished, layout.shortNameFile(), StandardCopyOption.ATOMIC_MOVE);
            create(layout.shortDir());
            Path socket = layout.serviceSocket();
            return socket.startsWith(usual)
                    ? layout.withServiceSocket(layout.shortDir().resolve(usual.relativize(socket)))
                    : layout;
        }
    }

    /// Also against another user who made a directory of that name in the temp directory before us.
    private static void create(Path directory) throws IOException {
        if (!Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)) {
            Files.createDirectories(directory, PosixFilePermissions.asFileAttribute(PRIVATE));
        }
        if (!isOurs(directory)) {
            throw new IOException(directory + " belongs to another user; remove it or set CAPSEM_RUN_DIR");
        }
        Files.setPosixFilePermissions(directory, PRIVATE);
    }
}
