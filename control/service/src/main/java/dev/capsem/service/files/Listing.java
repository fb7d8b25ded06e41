package dev.capsem.service.files;

import dev.capsem.wire.service.FileEntry;
import java.net.URLConnection;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// A flat list of files, parents before children, made into a tree: directories first, then by name.
final class Listing {
    private final Map<String, List<GuestFile>> byParent = new LinkedHashMap<>();

    Listing(List<GuestFile> items) {
        for (GuestFile item : items) {
            byParent.computeIfAbsent(parent(item.path()), _ -> new ArrayList<>())
                    .add(item);
        }
    }

    /// The agent's output: `type size mtime-seconds octal-mode path NUL`, again and again. What does not look
    /// like that
    /// is left out: it comes from the guest's side.
    static Listing ofAgent(byte[] output) {
        return new Listing(parse(output));
    }

    static List<GuestFile> parse(byte[] output) {
        List<GuestFile> items = new ArrayList<>();
        for (String line : new String(output, StandardCharsets.UTF_8).split("\0")) {
            String[] fields = line.split(" ", 5);
            if (fields.length == 5) {
                try {
                    items.add(new GuestFile(
                            fields[4],
                            type(fields[0]),
                            Long.parseLong(fields[1]),
                            Long.parseLong(fields[2]),
                            Integer.parseInt(fields[3], 8)));
                } catch (NumberFormatException e) {
                    // Left out.
                }
            }
        }
        return items;
    }

    private static String type(String letter) {
        return switch (letter) {
            case "f" -> "file";
            case "d" -> "directory";
            case "l" -> "symlink";
            default -> "other";
        };
    }

    List<FileEntry> below(WorkspacePath directory) {
        return entries(directory.text());
    }

    private List<FileEntry> entries(String parent) {
        return byParent.getOrDefault(parent, List.of()).stream()
                .map(item -> new FileEntry(
                        name(item.path()),
                        item.path(),
                        item.type(),
                        item.size(),
                        item.mtime(),
                        item.type().equals("file") ? mime(item.path()) : Optional.empty(),
                        item.type().equals("directory") ? entries(item.path()) : List.of()))
                .sorted(Comparator.comparing((FileEntry entry) -> !entry.isDirectory())
                        .thenComparing(FileEntry::name))
                .toList();
    }

    static Optional<String> mime(String path) {
        return Optional.ofNullable(URLConnection.guessContentTypeFromName(name(path)));
    }

    private static String parent(String path) {
        int slash = path.lastIndexOf('/');
        return slash < 0 ? "" : path.substring(0, slash);
    }

    private static String name(String path) {
        return path.substring(path.lastIndexOf('/') + 1);
    }
}
