package dev.capsem.http;

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
        HttpAnswer handle(RouteCall call);
    }

    public static Route get(String pattern, Handler handler) {
        return new Route("GET", pattern, BodyKind.NONE, "", "", handler);
    }

    public static Route delete(String pattern, Handler handler) {
        return new Route("DELETE", pattern, BodyKind.NONE, "", "", handler);
    }

    public static Route post(String pattern, BodyKind body, Handler handler) {
        return new Route("POST", pattern, body, "", "", handler);
    }

    public static Route put(String pattern, BodyKind body, Handler handler) {
        return new Route("PUT", pattern, body, "", "", handler);
    }

    /// The same with its words for the reference.
    public Route answers(String shape, String sentence) {
        return new Route(method, pattern, body, shape, sentence, handler);
    }

    /// The same with something done before or after its handler.
    public Route handledBy(Handler other) {
        return new Route(method, pattern, body, answer, purpose, other);
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
