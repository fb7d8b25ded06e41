package dev.capsem.service.http;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// One line of the route table.
///
/// @param pattern segments, of which `{x}` matches any one segment
/// @param answer shape of the answer, for the reference
/// @param purpose one sentence, for the reference
public record Route(String method, String pattern, BodyKind body, String answer, String purpose, Handler handler) {
    public enum BodyKind {
        NONE,
        /// A JSON document must be there.
        JSON,
        /// A JSON document may be there; none counts as `{}`.
        OPTIONAL_JSON,
        BYTES
    }

    public interface Handler {
        Answer handle(Call call);
    }

    /// The values of the pattern's variables, when the path fits.
    Optional<Map<String, String>> match(List<String> segments) {
        List<String> parts = segments(pattern);
        if (parts.size() != segments.size()) {
            return Optional.empty();
        }
        Map<String, String> variables = new HashMap<>();
        for (int i = 0; i < parts.size(); i++) {
            String part = parts.get(i);
            String segment = segments.get(i);
            @Nullable String variable = variable(part);
            if (variable == null ? !part.equals(segment) : segment.isEmpty()) {
                return Optional.empty();
            }
            if (variable != null) {
                variables.put(variable, segment);
            }
        }
        return Optional.of(variables);
    }

    static List<String> segments(String path) {
        return List.of(path.substring(1).split("/", -1));
    }

    private static @Nullable String variable(String part) {
        return part.startsWith("{") ? part.substring(1, part.length() - 1) : null;
    }
}
