package dev.capsem.sandboxmcp.tools;

import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/// The sandbox server's API. Every method throws [ServerRefusal] when it refuses or cannot be reached, and
/// InterruptedException when the call is cancelled.
public interface SandboxServerClient {
    /// @param body none for GET and DELETE
    /// @param patience how long the answer may take to begin, or for `send` to be whole
    record Request(
            String method,
            String path,
            Optional<ObjectNode> body,
            Optional<String> idempotencyKey,
            Duration patience) {}

    JsonNode send(Request request) throws InterruptedException;

    /// An answer of JSON lines; leaving early ends what the server does for it.
    void stream(Request request, Consumer<JsonNode> lines) throws InterruptedException;
}
