package dev.capsem.process.mcp;

import dev.capsem.mcp.pin.ToolPins;
import dev.capsem.wire.json.JsonShapeException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Where the pins of a profile's tools outlive the sandbox: `mcp_tool_cache.json`, one for each profile of the home.
/// Several sandboxes may write it; the last one wins, which is safe, because an approval counts only for the very words
/// it was given for.
final class PinFile {
    private static final String NAME = "mcp_tool_cache.json";

    private final Path file;

    /// @param directory of the profile, such as `mcp/coding` of the home
    PinFile(Path directory) {
        this.file = directory.resolve(NAME);
    }

    /// None if there are none, or if they cannot be read: then every tool is met for the first time.
    ToolPins read() {
        try {
            return ToolPins.of(Files.readAllBytes(file));
        } catch (NoSuchFileException e) {
            return ToolPins.NONE;
        } catch (IOException | JsonShapeException e) {
            logger().atWarn().addKeyValue("file", file).log("mcp.pins.unreadable");
            return ToolPins.NONE;
        }
    }

    /// Whole or not at all.
    void write(ToolPins pins) {
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
