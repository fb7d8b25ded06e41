package dev.capsem.hostmcp.tools;

import dev.capsem.wire.service.ExecEvent;
import dev.capsem.wire.service.ExecRequest;
import java.util.function.Consumer;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/// The service, as the tools need it. Every method throws [dev.capsem.client.io.ServiceCallException] when the service
/// refuses or cannot be reached, and gives up when its thread is interrupted.
public interface ServicePort {
    JsonNode get(String target);

    JsonNode post(String target, ObjectNode body);

    JsonNode delete(String target);

    /// An answer that is plain text.
    String text(String target);

    byte[] readFile(String id, String path);

    void writeFile(String id, String path, byte[] content);

    /// Runs a command at `/exec/{id}` or `/run`; interrupting the thread kills it.
    ///
    /// @param events told everything until the command ended
    void command(String target, ExecRequest request, Consumer<ExecEvent> events);
}
