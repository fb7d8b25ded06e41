package dev.capsem.profiles.io;

import dev.capsem.profiles.mcp.HostTool;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/// A text that changes whenever one of the files that profiles come from does.
final class FileStamps {
    private FileStamps() {}

    static String of(ProfileFolders folders) {
        List<Path> files = new ArrayList<>(folders.corpKeys());
        files.add(folders.chosen());
        files.add(folders.registries());
        for (HostTool tool : HostTool.values()) {
            files.add(folders.userHome().resolve(tool.path()));
        }
        List<Path> directories = new ArrayList<>(folders.corp());
        directories.add(folders.user());
        directories.forEach(directory -> files.addAll(entries(directory)));
        StringBuilder stamp = new StringBuilder();
        for (Path file : files) {
            stamp.append(file).append(' ').append(stamp(file)).append('\n');
        }
        return stamp.toString();
    }

    private static List<Path> entries(Path directory) {
        if (!Files.isDirectory(directory)) {
            return List.of();
        }
        try (Stream<Path> entries = Files.list(directory)) {
            return entries.filter(Files::isRegularFile)
                    .filter(file -> !String.valueOf(file.getFileName()).startsWith("."))
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new ProfileException(ProfileException.Code.UNREADABLE, directory + " cannot be listed", e);
        }
    }

    private static String stamp(Path file) {
        try {
            BasicFileAttributes attributes = Files.readAttributes(file, BasicFileAttributes.class);
            return attributes.lastModifiedTime() + " " + attributes.size() + " " + attributes.fileKey();
        } catch (IOException absent) {
            return "absent";
        }
    }
}
