package dev.capsem.cli.rules;

import dev.capsem.cli.CliContext;
import dev.capsem.cli.CliProblem;
import dev.capsem.cli.screen.Printable;
import java.io.IOException;
import java.nio.charset.MalformedInputException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;

/// A file that a person named on the command line.
///
/// @param name as the person wrote it; problems are told with it
public record SourceFile(String name, String text) {
    /// As much as the service takes in one piece.
    private static final long BYTES_MAX = 4L * 1024 * 1024;

    /// @param name of a file, or `-` for stdin
    public static SourceFile read(CliContext context, String name) {
        try {
            if (name.equals("-")) {
                byte[] bytes = context.screen().in().readNBytes((int) BYTES_MAX + 1);
                checkSize(name, bytes.length);
                return new SourceFile("stdin", new String(bytes, StandardCharsets.UTF_8));
            }
            Path file = context.directory().resolve(name);
            checkSize(name, Files.size(file));
            return new SourceFile(name, Files.readString(file));
        } catch (NoSuchFileException missing) {
            throw CliProblem.usage("there is no file " + Printable.line(name), "check the name");
        } catch (MalformedInputException binary) {
            throw CliProblem.usage(Printable.line(name) + " is not text", "it must be UTF-8");
        } catch (IOException unreadable) {
            throw CliProblem.usage(
                    Printable.line(name) + " cannot be read: " + unreadable.getMessage(), "check its permissions");
        }
    }

    private static void checkSize(String name, long bytes) {
        if (bytes > BYTES_MAX) {
            throw CliProblem.usage(
                    Printable.line(name) + " is larger than " + BYTES_MAX / 1024 / 1024 + " MiB", "split it");
        }
    }

    List<String> lines() {
        return text.lines().toList();
    }
}
