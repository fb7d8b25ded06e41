package dev.capsem.sandboxserver.workspaces;

import dev.capsem.sandboxserver.protocol.ApiProblem;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/// A tar archive in memory: which files it holds, and their bytes. Written by a guest, so nothing in it is
/// believed: sizes are checked against what is there, names are only ever compared and shown.
final class Archive {
    static final int FILES_MAX = 50_000;
    private static final int BLOCK = 512;
    /// Two empty blocks end an archive.
    static final byte[] EMPTY = new byte[2 * BLOCK];

    private static final int NAME_BYTES_MAX = 8_192;

    /// @param type `f`, `d` or `l`
    /// @param link where a symbolic link leads
    record File(char type, int mode, int offset, int size, String link) {}

    private final byte[] bytes;
    private final SortedMap<String, File> files = new TreeMap<>();

    private Archive(byte[] bytes) {
        this.bytes = bytes;
    }

    static Archive read(byte[] bytes) {
        Archive archive = new Archive(bytes);
        archive.scan();
        return archive;
    }

    Map<String, File> files() {
        return files;
    }

    byte[] content(File file) {
        return Arrays.copyOfRange(bytes, file.offset, file.offset + file.size);
    }

    private void scan() {
        Optional<String> longName = Optional.empty();
        Optional<String> longLink = Optional.empty();
        for (int at = 0; at + BLOCK <= bytes.length && bytes[at] != 0; ) {
            int size = (int) number(at + 124, 12);
            int data = at + BLOCK;
            if (size < 0 || size > bytes.length - data || files.size() >= FILES_MAX) {
                throw damaged();
            }
            char type = (char) bytes[at + 156];
            switch (type) {
                case 'L' -> longName = Optional.of(longText(data, size));
                case 'K' -> longLink = Optional.of(longText(data, size));
                default -> {
                    String name = longName.orElse(name(at));
                    String link = longLink.orElse(text(at + 157, 100));
                    longName = Optional.empty();
                    longLink = Optional.empty();
                    add(name, type, (int) number(at + 100, 8) & 07777, data, size, link);
                }
            }
            at = data + (size + BLOCK - 1) / BLOCK * BLOCK;
            if (at < data) {
                throw damaged();
            }
        }
    }

    private void add(String name, char type, int mode, int data, int size, String link) {
        String path = plain(name);
        if (path.isEmpty()) {
            return;
        }
        switch (type) {
            case '0', '\0' -> files.put(path, new File('f', mode, data, size, ""));
            // A second name of a file before it in the archive.
            case '1' -> Optional.ofNullable(files.get(plain(link))).ifPresent(original -> files.put(path, original));
            case '2' -> files.put(path, new File('l', mode, data, 0, link));
            case '5' -> files.put(path, new File('d', mode, data, 0, ""));
            default -> {}
        }
    }

    private static String plain(String name) {
        String path = name.startsWith("./") ? name.substring(2) : name;
        return path.endsWith("/") ? path.substring(0, path.length() - 1) : path;
    }

    private String name(int at) {
        String name = text(at, 100);
        boolean hasPrefix = text(at + 257, 6).equals("ustar") && bytes[at + 263] == '0';
        String prefix = hasPrefix ? text(at + 345, 155) : "";
        return prefix.isEmpty() ? name : prefix + "/" + name;
    }

    private String longText(int at, int size) {
        if (size > NAME_BYTES_MAX) {
            throw damaged();
        }
        return text(at, size);
    }

    private String text(int at, int length) {
        int end = at;
        while (end < at + length && bytes[end] != 0) {
            end++;
        }
        return new String(bytes, at, end - at, StandardCharsets.UTF_8);
    }

    /// Octal digits. Sizes in base 256 are of files larger than any archive here.
    private long number(int at, int length) {
        long value = 0;
        for (int i = at; i < at + length; i++) {
            byte digit = bytes[i];
            if (digit == 0 || digit == ' ') {
                continue;
            }
            if (digit < '0' || digit > '7') {
                throw damaged();
            }
            value = value * 8 + (digit - '0');
        }
        return Math.min(value, Integer.MAX_VALUE);
    }

    private static ApiProblem damaged() {
        return new ApiProblem(
                ApiProblem.Code.FILE_FAILED,
                "the archive of the workspace cannot be read",
                "is tar in the sandbox a usual one, and the directory of a usual size?");
    }
}
