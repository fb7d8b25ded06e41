package dev.capsem.cli.command;

import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.Optional;

/// Why a file of ours cannot be read or written, in words: an exception only names the file.
public final class FileFault {
    private FileFault() {}

    public static CliProblem of(FileSystemException failure) {
        String file = Optional.ofNullable(failure.getFile()).orElse("the file");
        return switch (failure) {
            case NoSuchFileException _ -> {
                Path parent = Path.of(file).getParent();
                yield parent == null || Files.isDirectory(parent)
                        ? CliProblem.usage("there is no file " + file, "check its name: `ls`")
                        : CliProblem.usage("there is no directory " + parent, "make it: `mkdir -p " + parent + "`");
            }
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
}
