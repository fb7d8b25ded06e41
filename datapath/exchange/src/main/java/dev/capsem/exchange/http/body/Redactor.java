package dev.capsem.exchange.http.body;

import dev.capsem.events.security.Headers;
import java.util.Optional;

/// The port that takes secrets out of values before they are stored.
public interface Redactor {
    /// One line per field.
    Optional<String> headers(Headers headers);

    String query(String query);

    /// @param text cut to its limit already
    String body(String text, Optional<String> contentType);

    String text(String text);
}
