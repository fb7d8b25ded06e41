package dev.capsem.client;

import java.util.Optional;
import tools.jackson.databind.JsonNode;

/// The events of a sandbox, live. One thread reads; any thread may close.
public interface LiveFeed extends AutoCloseable {
    /// @param kind what it is about: `http`, `dns`, `model`, …, `sandbox` for its own life, `lost` for events that came
    /// too fast
    record Happening(String kind, JsonNode json) {}

    /// Waits for the next one; empty when the service is gone or the feed was closed.
    Optional<Happening> next();

    @Override
    void close();
}
