package dev.capsem.broker;

import dev.capsem.events.security.Headers;
import java.util.Optional;

/// A request's head as the upstream gets it: it may hold values. It is written to the wire and kept nowhere.
public record SentHead(String path, Optional<String> query, Headers headers) {
    @Override
    public String toString() {
        return "SentHead[***]";
    }
}
