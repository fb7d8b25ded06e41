package dev.capsem.cli.command;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;

/// Why a file of ours cannot be read or written, in words: an exception only names the file.
public final class FileFault {
    private FileFault() {}

    public static CliProblem of(FileSystemException failure) {
        String file = Optional.ofNullable(failure.getFile()).orElse("the file");
        return switch (failure) {
            case NoSuchFileException _ ->
                noDirectory(file).orElseGet(() -> CliProblem.usage("there is no file " + file, "check its name: `ls`"));
            case AccessDeniedException _ ->
                CliProblem.of(
                        "permission_denied", "you may not use " + file, "choose a place of your own, or its owner");
            case NotDirectoryException _ -> CliProblem.usage(file + " is not a directory", "check its name: `ls`");
            case FileAlreadyExistsException _ -> CliProblem.usage(file + " is there already", "choose another name");
            default ->
                CliProblem.of(
                        "io_error",
                        file + ": " + Optional.ofNullable(failure.getReason()).orElse("it cannot be used"),
                        "is the disk full, or read-only? `df .`");
        };
    }

    /// The same of a file that was to be made: it was never expected to be there.
    public static CliProblem ofNew(FileSystemException failure) {
        String file = Optional.ofNullable(failure.getFile()).orElse("the file");
        if (!(failure instanceof NoSuchFileException || failure instanceof AccessDeniedException)) {
            return of(failure);
        }
        Path directory =
                Optional.ofNullable(Path.of(file).toAbsolutePath().getParent()).orElse(Path.of("/"));
        return noDirectory(file)
                .orElseGet(() -> CliProblem.of(
                        "permission_denied",
                        "you may not write " + file + ": " + why(Path.of(file), directory),
                        "choose another place, or have its owner make it writable for you"));
    }

    private static String why(Path file, Path directory) {
        if (Files.isDirectory(file)) {
            return "it is a directory";
        }
        if (Files.exists(file)) {
            return "the file is not yours to change" + permissions(file);
        }
        return "no file can be made in the directory " + directory + permissions(directory);
    }

    private static String permissions(Path place) {
        try {
            PosixFileAttributes found = Files.readAttributes(place, PosixFileAttributes.class);
            return " (" + PosixFilePermissions.toString(found.permissions()) + ", owner "
                    + found.owner().getName() + ")";
        } catch (IOException | UnsupportedOperationException unknown) {
            return "";
        }
    }

    private static Optional<CliProblem> noDirectory(String file) {
        Path parent = Path.of(file).getParent();
        return parent == null || Files.isDirectory(parent)
                ? Optional.empty()
                : Optional.of(
                        CliProblem.usage("there is no directory " + parent, "make it: `mkdir -p " + parent + "`"));
    }
}
