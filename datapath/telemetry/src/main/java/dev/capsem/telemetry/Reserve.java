package dev.capsem.telemetry;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Random;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Space on the disk of session.db that is taken while there is some, and given up when there is none: what had begun
/// by then, and the reason why nothing begins any more, can be written still. Of the writer's thread only.
final class Reserve {
    static final String FILE_NAME = "record.reserve";

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

    /// Not zeros: some file systems store those for nothing.
    private void write() throws IOException {
        byte[] piece = new byte[PIECE_BYTES];
        new Random(bytes).nextBytes(piece);
        Files.deleteIfExists(file);
        Files.createFile(file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        try (OutputStream out = Files.newOutputStream(file)) {
            for (long left = bytes; left > 0; left -= PIECE_BYTES) {
                out.write(piece, 0, (int) Math.min(left, PIECE_BYTES));
            }
        }
    }

    void giveUp() {
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
