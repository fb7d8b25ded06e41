package dev.capsem.exchange.http;

import dev.capsem.events.security.Headers;
import dev.capsem.exchange.http.body.Redactor;
import java.util.Optional;
import java.util.stream.Collectors;

/// Leaves every value as it is.
public final class PlainRedactor implements Redactor {
    @Override
    public Optional<String> headers(Headers headers) {
        return headers.fields().isEmpty()
                ? Optional.empty()
                : Optional.of(headers.fields().stream()
                        .map(field -> field.name() + ": " + field.value())
                        .collect(Collectors.joining("\n")));
    }

    @Override
    public String query(String query) {
        return query;
    }

    @Override
    public String body(String text, Optional<String> contentType) {
        return text;
    }

    @Override
    public String text(String text) {
        return text;
    }
}
