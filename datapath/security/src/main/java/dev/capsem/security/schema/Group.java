package dev.capsem.security.schema;

import dev.cel.common.types.StructType;
import java.util.Set;

/// A path that holds other paths, such as `http.request`.
///
/// @param members the last segment of each path directly below
public record Group(String path, StructType type, Set<String> members) {
    public Group {
        members = Set.copyOf(members);
    }
}
