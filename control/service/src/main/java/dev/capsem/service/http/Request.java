package dev.capsem.service.http;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/// One HTTP request as the edge saw it; the body is still to be read.
///
/// @param path decoded, begins with `/`
/// @param query decoded; names may repeat
public record Request(
        String method,
        String path,
        Map<String, List<String>> query,
        Optional<String> contentType,
        Optional<String> accept,
        Body body) {

    public Request {
        query = Map.copyOf(query);
    }

    /// The bytes behind the head. Reading more than allowed is a [Refusal] with TOO_LARGE.
    public interface Body {
        byte[] read(int bytesMax);
    }

    public boolean accepts(String mediaType) {
        return accept.map(value -> value.contains(mediaType)).orElse(false);
    }
}
