package dev.capsem.wire.service;

import dev.capsem.wire.json.Json;
import dev.capsem.wire.json.JsonMembers;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/// One entry of `GET /files/{id}`.
///
/// @param path relative to the workspace (`/root`)
/// @param type `file`, `directory`, `symlink` or `other`
/// @param mtime unix seconds
/// @param mime guessed from the name
public record FileEntry(
        String name, String path, String type, long size, long mtime, Optional<String> mime, List<FileEntry> children) {
    public FileEntry {
        children = List.copyOf(children);
    }

    public boolean isDirectory() {
        return type.equals("directory");
    }

    public ObjectNode toJson() {
        ObjectNode json = Json.object()
                .put("name", name)
                .put("path", path)
                .put("type", type)
                .put("size", size)
                .put("mtime", mtime);
        mime.ifPresent(value -> json.put("mime", value));
        if (!children.isEmpty()) {
            json.set("children", ServiceJson.array(children, FileEntry::toJson));
        }
        return json;
    }

    private static List<FileEntry> list(JsonMembers parent, String name) {
        return parent.objects(name).stream().map(FileEntry::fromJson).toList();
    }

    private static FileEntry fromJson(JsonMembers fields) {
        return new FileEntry(
                fields.text("name"),
                fields.text("path"),
                fields.text("type"),
                fields.number("size", 0),
                fields.number("mtime", 0),
                fields.optionalText("mime"),
                list(fields, "children"));
    }

    public static List<FileEntry> listFromJson(JsonNode reply) {
        return list(JsonMembers.of(reply, ""), "entries");
    }

    public static ObjectNode listToJson(List<FileEntry> entries) {
        ObjectNode json = Json.object();
        json.set("entries", ServiceJson.array(entries, FileEntry::toJson));
        return json;
    }
}
