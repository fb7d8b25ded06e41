package dev.capsem.network.http;

import dev.capsem.events.security.Headers;
import dev.capsem.exchange.http.body.Redactor;
import dev.capsem.network.record.Redaction;
import java.util.Optional;

/// Exchanges are stored as [Redaction] leaves them.
final class ExchangeRedactor implements Redactor {
    @Override
    public Optional<String> headers(Headers headers) {
        return Redaction.headers(headers);
    }

    @Override
    public String query(String query) {
        return Redaction.query(query);
    }

    @Override
    public String body(String text, Optional<String> contentType) {
        return Redaction.body(text, contentType);
    }

    @Override
    public String text(String text) {
        return Redaction.mask(text);
    }
}
