package dev.capsem.http;

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
        Headers headers,
        Body body,
        Caller caller) {

    public Request {
        query = Map.copyOf(query);
    }

    /// A request whose other headers nobody will ask for, and whose sender waits.
    public Request(
            String method,
            String path,
            Map<String, List<String>> query,
            Optional<String> contentType,
            Optional<String> accept,
            Body body) {
        this(method, path, query, contentType, accept, _ -> Optional.empty(), body, () -> {});
    }

    /// The same, from somebody of whom more is known.
    public Request by(Caller known) {
        return new Request(method, path, query, contentType, accept, headers, body, known);
    }

    /// The bytes behind the head. Reading more than allowed is a [HttpProblem] with TOO_LARGE.
    public interface Body {
        byte[] read(int bytesMax);
    }

    /// The sender of the request.
    public interface Caller {
        /// Throws [HttpAnswer.ClientGoneException] when nobody waits for the answer any more.
        ///
        /// Requires: the body was read, and the answer has not begun.
        void requireThere();
    }

    /// The headers, by name in any case. Never shown as a whole: one of them may be a credential.
    public interface Headers {
        /// The first of this name.
        Optional<String> first(String name);
    }

    public boolean accepts(String mediaType) {
        return accept.map(value -> value.contains(mediaType)).orElse(false);
    }
}
