package dev.capsem.cli.rules;

import dev.capsem.cli.command.CliContext;
import dev.capsem.cli.command.CliProblem;
import dev.capsem.cli.screen.Printable;
import java.io.IOException;
import java.nio.charset.MalformedInputException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// A file that a person named on the command line.
///
/// @param name as the person wrote it; problems are told with it
/// @param lists the texts of the files beside it that its rules ask for, by name
public record SourceFile(String name, String text, Map<String, String> lists) {
    /// As much as the service takes in one piece.
    private static final long BYTES_MAX = 4L * 1024 * 1024;

    /// `list("hosts.txt")`
    private static final Pattern LIST =
            Pattern.compile("\\blist\\(\\s*([\"'])([A-Za-z0-9_-][A-Za-z0-9_.-]{0,63})\\1\\s*\\)");

    /// @param name of a file, or `-` for stdin
    public static SourceFile read(CliContext context, String name) {
        try {
            if (name.equals("-")) {
                byte[] bytes = context.screen().in().readNBytes((int) BYTES_MAX + 1);
                checkSize(name, bytes.length);
                String text = new String(bytes, StandardCharsets.UTF_8);
                return new SourceFile("stdin", text, lists(context.directory().resolve("stdin"), text));
            }
            Path file = context.directory().resolve(name);
            checkSize(name, Files.size(file));
            String text = Files.readString(file);
            return new SourceFile(name, text, lists(file, text));
        } catch (NoSuchFileException missing) {
            throw CliProblem.usage("there is no file " + Printable.line(name), "check the name");
        } catch (MalformedInputException binary) {
            throw CliProblem.usage(Printable.line(name) + " is not text", "it must be UTF-8");
        } catch (IOException unreadable) {
            throw CliProblem.usage(
                    Printable.line(name) + " cannot be read: " + unreadable.getMessage(), "check its permissions");
        }
    }

    private static Map<String, String> lists(Path file, String text) throws IOException {
        Map<String, String> lists = new TreeMap<>();
        Matcher use = LIST.matcher(text);
        while (use.find()) {
            Path list = file.resolveSibling(use.group(2));
            if (Files.isRegularFile(list)) {
                checkSize(use.group(2), Files.size(list));
                lists.put(use.group(2), Files.readString(list));
            }
        }
        return lists;
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
