package dev.capsem.sandbox.bwrap.io;

import dev.capsem.sandbox.SandboxException;
import dev.capsem.sandbox.SandboxException.Code;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/// Ranges of the host's ids for guests of root, shared by the processes of the host: what the kernel counts for a user
/// (epoll registrations, descriptors under way, pipes), it counts for one sandbox alone. A range is numbered as
/// `capsem-launch --id-range` numbers it, and belongs to a process, not to a session: files on disk have the same ids
/// whatever range their sandbox runs under.
public final class IdRanges {
    static final long FIRST = 500_000;
    static final long SIZE = 65_536;
    /// As many as the launcher takes: beyond, some programs take ids for negative numbers.
    static final int COUNT = 32_000;

    /// One for all homes of the host.
    private static final Path LOCKS = Path.of("/run/capsem-ids");

    private static final Path HOST_SETTINGS = Path.of("/etc");

    /// The ranges of this JVM, until it ends; guarded by the class.
    private static @Nullable Held held;

    private IdRanges() {}

    /// @param lock open as long as the range is held
    record Held(int number, FileChannel lock) {}

    /// The range of this process and of everything it starts; none for an ordinary user, whose guests are that user.
    public static synchronized OptionalInt ofThisProcess() {
        if (!runsAsRoot()) {
            return OptionalInt.empty();
        }
        Held known = held;
        if (known == null) {
            known = take(LOCKS, HOST_SETTINGS, COUNT);
            held = known;
        }
        return OptionalInt.of(known.number());
    }

    /// Whether a guest's root is somebody else on the host than whoever starts it.
    public static boolean runsAsRoot() {
        try {
            return Integer.valueOf(0).equals(Files.getAttribute(Path.of("/proc/self"), "unix:uid"));
        } catch (IOException | UnsupportedOperationException e) {
            return false;
        }
    }

    /// The first range that no process holds and that the host gave to nobody.
    ///
    /// @param settings the directory of `passwd`, `subuid` and `subgid`
    static Held take(Path locks, Path settings, int count) {
        try {
            Files.createDirectories(
                    locks, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
            List<Given> given = givenIn(settings);
            for (int number = 0; number < count; number++) {
                if (isGiven(number, given)) {
                    continue;
                }
                FileChannel channel = FileChannel.open(
                        locks.resolve(Integer.toString(number)), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                if (isLocked(channel)) {
                    return new Held(number, channel);
                }
                channel.close();
            }
        } catch (IOException e) {
            throw new SandboxException(
                    Code.HOST_UNFIT, "cannot keep " + locks + ": " + e, "mount a /run that root may write to", e);
        }
        throw new SandboxException(
                Code.LAUNCH_FAILED,
                "every range of ids for sandboxes is in use",
                "stop a sandbox (`capsem list`), or free ids in /etc/subuid and /etc/subgid");
    }

    private static boolean isLocked(FileChannel channel) throws IOException {
        try {
            FileLock lock = channel.tryLock();
            return lock != null;
        } catch (OverlappingFileLockException ofThisJvm) {
            return false;
        }
    }

    /// Ids that are somebody's already.
    private record Given(long first, long count) {}

    private static boolean isGiven(int number, List<Given> given) {
        long first = FIRST + number * SIZE;
        return given.stream().anyMatch(other -> other.first() < first + SIZE && first < other.first() + other.count());
    }

    /// The accounts in the files; accounts of other sources are not seen.
    private static List<Given> givenIn(Path settings) throws IOException {
        List<Given> given = new ArrayList<>();
        for (String name : List.of("subuid", "subgid")) {
            for (String[] fields : lines(settings.resolve(name))) {
                if (fields.length == 3 && isNumber(fields[1]) && isNumber(fields[2])) {
                    given.add(new Given(Long.parseLong(fields[1]), Long.parseLong(fields[2])));
                }
            }
        }
        for (String[] fields : lines(settings.resolve("passwd"))) {
            if (fields.length > 2 && isNumber(fields[2])) {
                given.add(new Given(Long.parseLong(fields[2]), 1));
            }
        }
        return given;
    }

    private static List<String[]> lines(Path file) throws IOException {
        return Files.isReadable(file)
                ? Files.readString(file, StandardCharsets.ISO_8859_1)
                        .lines()
                        .map(line -> line.split(":", -1))
                        .toList()
                : List.of();
    }

    private static boolean isNumber(String text) {
        return text.matches("[0-9]{1,10}");
    }
}
