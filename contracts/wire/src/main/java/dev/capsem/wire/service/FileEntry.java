package dev.capsem.wire.service;

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
        ObjectNode json = ServiceJson.object()
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

    public static FileEntry fromJson(JsonNode node) {
        Fields fields = Fields.of(node);
        return new FileEntry(
                fields.text("name"),
                fields.text("path"),
                fields.text("type"),
                fields.integer("size", 0),
                fields.integer("mtime", 0),
                fields.optionalText("mime"),
                fields.list("children", FileEntry::fromJson));
    }

    public static List<FileEntry> listFromJson(JsonNode reply) {
        return Fields.of(reply).list("entries", FileEntry::fromJson);
    }

    public static ObjectNode listToJson(List<FileEntry> entries) {
        ObjectNode json = ServiceJson.object();
        json.set("entries", ServiceJson.array(entries, FileEntry::toJson));
        return json;
    }
}
