package dev.capsem.sandbox.workspace.git;

import dev.capsem.sandbox.workspace.launch.HostGit;
import dev.capsem.sandbox.workspace.tree.Anchor;
import dev.capsem.sandbox.workspace.tree.Content;
import dev.capsem.sandbox.workspace.tree.FileType;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;

/// What a guest wrote into a git directory: branches and objects, read file by file without following links. Git itself
/// never runs in it: its configuration, hooks and alternates are the guest's.
final class GuestRepository {
    private static final Pattern NAME = Pattern.compile("[0-9a-f]{40}(?:[0-9a-f]{24})?");
    private static final Pattern PACKED = Pattern.compile("(" + NAME + ") refs/(heads/.+|tags/.+|stash)");
    /// Before the name of a tag: no name in git has a colon or a space.
    static final String TAG = "tag: ";

    private static final Path HEADS = Path.of("refs", "heads");
    private static final Path TAGS = Path.of("refs", "tags");
    private static final int REF_BYTES_MAX = 1024;
    private static final int PACKED_REFS_BYTES_MAX = 8 * 1024 * 1024;
    /// Most of them the user's own, which a guest's `git gc` wrote anew.
    private static final int REFS_MAX = 50_000;
    private static final int DEPTH_MAX = 16;
    /// Larger loose objects stay behind; whatever needs them is then refused.
    private static final int LOOSE_BYTES_MAX = 64 * 1024 * 1024;
    /// A repository that wants more is no day's work.
    private static final long TOTAL_BYTES_MAX = 4L * 1024 * 1024 * 1024;

    private final Anchor directory;

    /// @param directory the upper layer's part of a git directory; the caller closes it
    GuestRepository(Anchor directory) {
        this.directory = directory;
    }

    /// The branches and tags that the guest wrote, and where they point; `HEAD` when it is detached, `stash` for
    /// a stash.
    Map<String, String> tips() {
        Map<String, String> tips = new TreeMap<>();
        packed(tips);
        loose(HEADS, "", tips);
        loose(TAGS, TAG, tips);
        ref(Path.of("HEAD")).ifPresent(name -> tips.put("HEAD", name));
        ref(Path.of("refs", "stash")).ifPresent(name -> tips.put("stash", name));
        return tips;
    }

    /// Whether branches are in tables instead of files.
    boolean hasReftable() {
        try {
            Optional<Anchor> tables = directory.child(Path.of("reftable"));
            tables.ifPresent(Anchor::close);
            return tables.isPresent();
        } catch (IOException closed) {
            return false;
        }
    }

    private void packed(Map<String, String> tips) {
        text(Path.of("packed-refs"), PACKED_REFS_BYTES_MAX)
                .ifPresent(text -> text.lines()
                        .map(PACKED::matcher)
                        .filter(Matcher::matches)
                        .limit(REFS_MAX)
                        .forEach(line -> tips.put(
                                line.group(2).replaceFirst("^tags/", TAG).replaceFirst("^heads/", ""), line.group(1))));
    }

    private void loose(Path place, String prefix, Map<String, String> tips) {
        try {
            Optional<Anchor> refs = directory.descend(place);
            if (refs.isPresent()) {
                try (Anchor top = refs.get()) {
                    loose(top, prefix, tips, 0);
                }
            }
        } catch (IOException closed) {
            // What cannot be read cannot come back; the files still can.
        }
    }

    private void loose(Anchor at, String prefix, Map<String, String> tips, int depth) throws IOException {
        if (at.type() != FileType.DIRECTORY || depth == DEPTH_MAX) {
            return;
        }
        for (Path name : at.names()) {
            Optional<Anchor> child = at.child(name);
            if (child.isEmpty() || tips.size() >= REFS_MAX) {
                continue;
            }
            try (Anchor ref = child.get()) {
                switch (ref.type()) {
                    case DIRECTORY -> loose(ref, prefix + name + "/", tips, depth + 1);
                    case REGULAR -> value(ref).ifPresent(value -> tips.put(prefix + name, value));
                    // A branch that git packed leaves a whiteout behind; packed-refs has it.
                    case SYMLINK, SPECIAL, WHITEOUT -> {}
                }
            }
        }
    }

    private Optional<String> ref(Path path) {
        return text(path, REF_BYTES_MAX)
                .map(String::strip)
                .filter(text -> NAME.matcher(text).matches());
    }

    private static Optional<String> value(Anchor ref) throws IOException {
        return Content.bytes(ref, REF_BYTES_MAX)
                .map(bytes -> new String(bytes, StandardCharsets.US_ASCII).strip())
                .filter(text -> NAME.matcher(text).matches());
    }

    private Optional<String> text(Path path, int max) {
        try {
            Optional<Anchor> file = directory.descend(path);
            if (file.isEmpty()) {
                return Optional.empty();
            }
            try (Anchor open = file.get()) {
                return open.type() == FileType.REGULAR
                        ? Content.bytes(open, max).map(bytes -> new String(bytes, StandardCharsets.UTF_8))
                        : Optional.empty();
            }
        } catch (IOException closed) {
            return Optional.empty();
        }
    }

    /// Puts the guest's objects into a repository of ours: loose ones only under the name that their content has,
    /// packs through `git index-pack`, which takes them apart as it would those of a stranger's push.
    void copyObjects(Path quarantine, HostGit git) throws IOException {
        Optional<Anchor> opened = directory.descend(Path.of("objects"));
        if (opened.isEmpty()) {
            return;
        }
        long[] remaining = {TOTAL_BYTES_MAX};
        try (Anchor objects = opened.get()) {
            if (objects.type() != FileType.DIRECTORY) {
                return;
            }
            for (Path name : objects.names()) {
                Optional<Anchor> child = objects.child(name);
                if (child.isEmpty()) {
                    continue;
                }
                try (Anchor part = child.get()) {
                    if (part.type() != FileType.DIRECTORY) {
                        continue;
                    }
                    if (name.toString().equals("pack")) {
                        copyPacks(part, quarantine, git, remaining);
                    } else if (name.toString().matches("[0-9a-f]{2}")) {
                        copyLoose(part, name.toString(), quarantine.resolve("objects"), remaining);
                    }
                }
            }
        }
    }

    private static void copyLoose(Anchor part, String start, Path objects, long[] remaining) throws IOException {
        for (Path name : part.names()) {
            if (!NAME.matcher(start + name).matches()) {
                continue;
            }
            Optional<Anchor> child = part.child(name);
            if (child.isEmpty()) {
                continue;
            }
            try (Anchor object = child.get()) {
                if (object.type() != FileType.REGULAR) {
                    continue;
                }
                Optional<byte[]> bytes = Content.bytes(object, LOOSE_BYTES_MAX);
                if (bytes.isPresent() && isNamed(start + name, bytes.get(), remaining)) {
                    Path target = Files.createDirectories(objects.resolve(start));
                    Files.write(target.resolve(name.toString()), bytes.get());
                }
            }
        }
    }

    /// Whether this is one whole compressed object whose content has this name.
    private static boolean isNamed(String name, byte[] compressed, long[] remaining) throws IOException {
        MessageDigest digest = Content.digest(name.length() == 64 ? "SHA-256" : "SHA-1");
        byte[] chunk = new byte[64 * 1024];
        try (var inflater = new Inflater()) {
            inflater.setInput(compressed);
            while (!inflater.finished()) {
                int length = inflater.inflate(chunk);
                if (length == 0 && (inflater.needsInput() || inflater.needsDictionary())) {
                    return false;
                }
                digest.update(chunk, 0, length);
                spend(remaining, length);
            }
            return inflater.getRemaining() == 0
                    && HexFormat.of().formatHex(digest.digest()).equals(name);
        } catch (DataFormatException broken) {
            return false;
        }
    }

    private static void copyPacks(Anchor part, Path quarantine, HostGit git, long[] remaining) throws IOException {
        for (Path name : part.names()) {
            if (!name.toString().matches("pack-[0-9a-f]{40,64}\\.pack")) {
                continue;
            }
            Optional<Anchor> child = part.child(name);
            if (child.isEmpty()) {
                continue;
            }
            try (Anchor pack = child.get()) {
                if (pack.type() != FileType.REGULAR) {
                    continue;
                }
                spend(remaining, pack.facts().size());
                HostGit.Result result = git.run(
                        quarantine,
                        out -> {
                            try (InputStream in = pack.read()) {
                                in.transferTo(out);
                            }
                        },
                        "index-pack",
                        "--stdin",
                        "--fix-thin",
                        "--strict",
                        "--max-input-size=" + TOTAL_BYTES_MAX);
                if (!result.succeeded()) {
                    throw new IOException("git refuses a pack of the sandbox's: " + result.complaint());
                }
            }
        }
    }

    private static void spend(long[] remaining, long bytes) throws IOException {
        remaining[0] -= bytes;
        if (remaining[0] < 0) {
            throw new IOException("the repository inside holds more than " + (TOTAL_BYTES_MAX >> 30) + " GiB");
        }
    }
}
