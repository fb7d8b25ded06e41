package dev.capsem.mcp.method;

import dev.capsem.wire.json.Json;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/// Cuts a catalog into pages, in the order of the names, so that the same catalog always lists alike. A cursor is the
/// last name of the page before: a server that comes or goes in between disturbs nobody else's entries.
public final class Pages {
    public static final int ENTRIES_MAX = 250;
    /// Well below a frame, whatever stands around it.
    static final int PAGE_BYTES_MAX = 512 * 1024;

    private Pages() {}

    /// @param shown as the guest will see it
    public record Entry(String name, ObjectNode shown) {}

    /// Empty if the cursor is none of ours.
    ///
    /// @param member that holds the entries, such as `tools`
    public static Optional<ObjectNode> page(String member, List<Entry> entries, Optional<String> cursor) {
        Optional<String> after = cursor.flatMap(Pages::decode);
        if (cursor.isPresent() && after.isEmpty()) {
            return Optional.empty();
        }
        List<Entry> left = entries.stream()
                .filter(entry -> after.isEmpty() || entry.name().compareTo(after.get()) > 0)
                .sorted(Comparator.comparing(Entry::name))
                .toList();
        ObjectNode result = Json.object();
        ArrayNode array = result.putArray(member);
        int size = 0;
        for (Entry entry : left) {
            size += Json.bytes(entry.shown()).length;
            if (array.size() >= ENTRIES_MAX || (size > PAGE_BYTES_MAX && !array.isEmpty())) {
                result.put("nextCursor", encode(left.get(array.size() - 1).name()));
                break;
            }
            array.add(entry.shown());
        }
        return Optional.of(result);
    }

    private static String encode(String name) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(name.getBytes(StandardCharsets.UTF_8));
    }

    private static Optional<String> decode(String cursor) {
        try {
            return Optional.of(new String(Base64.getUrlDecoder().decode(cursor), StandardCharsets.UTF_8));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }
}
