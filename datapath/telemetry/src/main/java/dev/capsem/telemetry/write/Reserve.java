package dev.capsem.telemetry.write;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Random;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Space on the disk of session.db that is taken while there is some, and given up when there is none: what had begun
/// by then, and the reason why nothing begins any more, can be written still. Of the writer's thread only.
final class Reserve {
    static final String FILE_NAME = "record.reserve";

    /// What stays until the sandbox is over, for the last words about it: some pages in each of ten tables.
    static final long REST_BYTES = 128 * 1024;

    private static final int PIECE_BYTES = 64 * 1024;
    private static final Logger LOG = LoggerFactory.getLogger(Reserve.class);

    private final long bytes;
    private Path file;
    private boolean isTaken;

    Reserve(Path database, long bytes) {
        this.file = beside(database);
        this.bytes = bytes;
    }

    /// The directory has another name now.
    void moved(Path database) {
        file = beside(database);
    }

    /// Takes the space, if that is not done yet.
    ///
    /// @return whether there was enough
    boolean take() {
        try {
            if (!isTaken && bytes > 0) {
                write();
            }
            isTaken = true;
            return true;
        } catch (IOException full) {
            giveUp();
            return false;
        }
    }

    /// What is there already stays: while it is replaced, somebody else could take its space. Not zeros: some file
    /// systems store those for nothing.
    private void write() throws IOException {
        byte[] piece = new byte[PIECE_BYTES];
        new Random(bytes).nextBytes(piece);
        if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
            Files.deleteIfExists(file);
        }
        try (FileChannel out = FileChannel.open(
                file,
                Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")))) {
            for (long at = out.size(); at < bytes; ) {
                at += out.write(ByteBuffer.wrap(piece, 0, (int) Math.min(bytes - at, PIECE_BYTES)), at);
            }
        }
    }

    /// All but the rest.
    void giveUp() {
        isTaken = false;
        try (FileChannel out = FileChannel.open(file, Set.of(StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS))) {
            out.truncate(Math.min(bytes, REST_BYTES));
        } catch (NoSuchFileException e) {
            LOG.debug("{} was never made", FILE_NAME);
        } catch (IOException e) {
            LOG.warn("{} cannot be made smaller", FILE_NAME);
        }
    }

    void giveUpRest() {
        isTaken = false;
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            LOG.warn("{} cannot be removed", FILE_NAME);
        }
    }

    private static Path beside(Path database) {
        return database.resolveSibling(FILE_NAME);
    }
}
