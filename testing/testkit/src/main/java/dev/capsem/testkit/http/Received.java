package dev.capsem.testkit.http;

import java.util.List;
import java.util.Optional;

/// One request as the origin got it.
///
/// @param connection which of the origin's connections carried it, from 1
/// @param serverName the name the client asked for in its TLS handshake
/// @param head the bytes before the body, as text
/// @param bodyStart the first bytes of the body; its size and hash count all of them
/// @param isComplete false if the connection broke before the body's end
public record Received(
        int connection,
        Optional<String> serverName,
        String method,
        String target,
        List<Header> headers,
        String head,
        byte[] bodyStart,
        long bodyBytes,
        String bodySha256,
        boolean isComplete) {
    public Received {
        headers = List.copyOf(headers);
    }

    /// @param name as sent
    public record Header(String name, String value) {}

    public Optional<String> header(String name) {
        return headers.stream()
                .filter(header -> header.name().equalsIgnoreCase(name))
                .map(Header::value)
                .findFirst();
    }

    public String path() {
        int query = target.indexOf('?');
        return query < 0 ? target : target.substring(0, query);
    }
}
