package dev.capsem.process.mcp;

import dev.capsem.mcp.pin.ToolPins;
import dev.capsem.wire.json.JsonShapeException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Where the pins of a profile's tools outlive the sandbox: `mcp_tool_cache.json`, one for each profile of the home.
/// Several sandboxes may write it; the last one wins, which is safe, because an approval counts only for the very words
/// it was given for.
final class PinFile {
    private static final String NAME = "mcp_tool_cache.json";

    private static final String DAMAGED = NAME + ".damaged";
    private static final int DAMAGED_MAX = 100;

    /// More than the tools of many servers with all that they were before.
    private static final int BYTES_MAX = 256 * 1024 * 1024;

    private final Path file;
    private volatile boolean mayWrite = true;

    /// @param directory of the profile, such as `mcp/coding` of the home
    PinFile(Path directory) {
        this.file = directory.resolve(NAME);
    }

    /// None if there are none. A file that cannot be read is set aside and kept; as long as it lies there, nothing is
    /// taken as it is, because nobody knows what was agreed to.
    ToolPins read() {
        ToolPins pins;
        try {
            pins = ToolPins.of(content());
        } catch (NoSuchFileException e) {
            pins = ToolPins.NONE;
        } catch (IOException | JsonShapeException e) {
            setAside();
            return ToolPins.NONE.doubted();
        }
        return Files.exists(file.resolveSibling(DAMAGED)) ? pins.doubted() : pins;
    }

    /// Nothing that never ends, and nothing that no memory holds.
    private byte[] content() throws IOException {
        BasicFileAttributes attributes = Files.readAttributes(file, BasicFileAttributes.class);
        if (!attributes.isRegularFile() || attributes.size() > BYTES_MAX) {
            throw new FileSystemException(file.toString(), null, "no file of at most " + BYTES_MAX + " bytes");
        }
        try (InputStream in = Files.newInputStream(file)) {
            return in.readNBytes(BYTES_MAX);
        }
    }

    private void setAside() {
        Path aside = file.resolveSibling(DAMAGED);
        for (int i = 2; i < DAMAGED_MAX && Files.exists(aside); i++) {
            aside = file.resolveSibling(DAMAGED + "-" + i);
        }
        try {
            Files.move(file, aside);
        } catch (IOException e) {
            mayWrite = false;
        }
        logger().atWarn()
                .addKeyValue("file", mayWrite ? aside : file)
                .addKeyValue("remedy", "look at every tool with `capsem mcp diff`, approve it, then delete the file")
                .log("mcp.pins.unreadable");
    }

    /// Whole or not at all.
    void write(ToolPins pins) {
        if (!mayWrite) {
            return;
        }
        try {
            Path directory = file.toAbsolutePath().getParent();
            Files.createDirectories(directory);
            Path fresh = Files.createTempFile(
                    directory,
                    "." + NAME,
                    "",
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
            Files.write(fresh, pins.toJson());
            Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            logger().atWarn().addKeyValue("file", file).log("mcp.pins.unwritable");
        }
    }

    private static Logger logger() {
        return LoggerFactory.getLogger(PinFile.class);
    }
}
