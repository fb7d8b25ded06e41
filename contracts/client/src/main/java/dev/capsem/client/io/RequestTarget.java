package dev.capsem.client.io;

import java.util.Optional;

/// The path of a request to the service, with the query parameters that were given.
public final class RequestTarget {
    private final StringBuilder text = new StringBuilder();
    private char separator = '?';

    public RequestTarget(String... segments) {
        for (String segment : segments) {
            text.append('/').append(ServiceClient.encode(segment));
        }
    }

    public RequestTarget with(String name, Optional<?> value) {
        value.ifPresent(given -> {
            text.append(separator).append(name).append('=').append(ServiceClient.encode(given.toString()));
            separator = '&';
        });
        return this;
    }

    @Override
    public String toString() {
        return text.toString();
    }
}
