package dev.capsem.sandboxserver.workspaces;

import dev.capsem.sandbox.workspace.diff.UnifiedDiff;
import dev.capsem.wire.json.Json;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/// The changes from one revision to another.
///
/// @param unified of text files; the rest is only listed
/// @param truncated the text would have been longer
record WorkspaceDiff(List<Change> changes, String unified, boolean truncated) {
    private static final int TEXT_FILE_BYTES_MAX = 256 * 1_024;
    private static final int UNIFIED_CHARS_MAX = 1_048_576;

    /// @param what `added`, `removed` or `modified`
    record Change(String path, String what, long size) {}

    static WorkspaceDiff of(Archive before, Archive after) {
        TreeSet<String> paths = new TreeSet<>(before.files().keySet());
        paths.addAll(after.files().keySet());
        List<Change> changes = new ArrayList<>();
        StringBuilder unified = new StringBuilder();
        boolean truncated = false;
        for (String path : paths) {
            Optional<Archive.File> old = Optional.ofNullable(before.files().get(path));
            Optional<Archive.File> now = Optional.ofNullable(after.files().get(path));
            if (isSame(before, old, after, now)) {
                continue;
            }
            String what = old.isEmpty() ? "added" : now.isEmpty() ? "removed" : "modified";
            changes.add(new Change(
                    path, what, now.or(() -> old).map(Archive.File::size).orElse(0)));
            if (unified.length() < UNIFIED_CHARS_MAX) {
                unified.append(hunks(path, text(before, old), text(after, now)));
            } else {
                truncated = true;
            }
        }
        return new WorkspaceDiff(changes, unified.toString(), truncated);
    }

    private static boolean isSame(
            Archive before, Optional<Archive.File> old, Archive after, Optional<Archive.File> now) {
        if (old.isEmpty() || now.isEmpty()) {
            return false;
        }
        Archive.File left = old.get();
        Archive.File right = now.get();
        return left.type() == right.type()
                && left.mode() == right.mode()
                && left.link().equals(right.link())
                && Arrays.equals(before.content(left), after.content(right));
    }

    /// Empty for what is no text, or too much of it; "" for a file that is not there.
    private static Optional<String> text(Archive archive, Optional<Archive.File> file) {
        if (file.isEmpty()) {
            return Optional.of("");
        }
        if (file.get().type() != 'f' || file.get().size() > TEXT_FILE_BYTES_MAX) {
            return Optional.empty();
        }
        try {
            String text = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(archive.content(file.get())))
                    .toString();
            return text.indexOf('\0') < 0 ? Optional.of(text) : Optional.empty();
        } catch (CharacterCodingException e) {
            return Optional.empty();
        }
    }

    private static String hunks(String path, Optional<String> before, Optional<String> after) {
        if (before.isEmpty() || after.isEmpty()) {
            return "";
        }
        String hunks = UnifiedDiff.of(before.get(), after.get()).hunks();
        return hunks.isEmpty() ? "" : "--- a/" + path + "\n+++ b/" + path + "\n" + hunks;
    }

    ObjectNode toJson() {
        ObjectNode json = Json.object();
        ArrayNode all = json.putArray("changes");
        changes.forEach(change -> all.add(Json.object()
                .put("path", change.path())
                .put("change", change.what())
                .put("size", change.size())));
        return json.put("unified", unified).put("truncated", truncated);
    }
}
