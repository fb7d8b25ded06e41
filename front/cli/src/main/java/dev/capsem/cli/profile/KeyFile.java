package dev.capsem.cli.profile;

import dev.capsem.cli.command.CliProblem;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/// Writes files that come with signing. None is ever overwritten: a key that is lost cannot be made again.
final class KeyFile {
    private KeyFile() {}

    static void write(Path file, String text, String permissions) {
        var mode = PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions));
        try (var channel = Files.newByteChannel(
                        file, Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE), mode);
                OutputStream out = Channels.newOutputStream(channel)) {
            out.write(text.getBytes(StandardCharsets.UTF_8));
        } catch (FileAlreadyExistsException exists) {
            throw CliProblem.usage(file + " is there already", "move it away, or choose another name");
        } catch (IOException failure) {
            throw CliProblem.of(
                    "io_error", "cannot write " + file + ": " + failure.getMessage(), "check the directory");
        }
    }
}
