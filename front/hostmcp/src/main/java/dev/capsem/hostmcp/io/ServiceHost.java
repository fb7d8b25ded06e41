package dev.capsem.hostmcp.io;

import dev.capsem.client.io.ByteStream;
import dev.capsem.client.io.ExecStream;
import dev.capsem.client.io.ServiceCallException;
import dev.capsem.client.io.ServiceClient;
import dev.capsem.hostmcp.tools.ServicePort;
import dev.capsem.wire.service.ExecEvent;
import dev.capsem.wire.service.ExecRequest;
import dev.capsem.wire.service.ServiceError;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.function.Consumer;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/// The service over its socket.
public final class ServiceHost implements ServicePort {
    private final ServiceClient client;

    public ServiceHost(ServiceClient client) {
        this.client = client;
    }

    @Override
    public JsonNode get(String target) {
        return client.get(target);
    }

    @Override
    public JsonNode post(String target, ObjectNode body) {
        return client.post(target, body);
    }

    @Override
    public JsonNode delete(String target) {
        return client.remove(target);
    }

    @Override
    public String text(String target) {
        try (ByteStream answer = client.download(target)) {
            var bytes = new ByteArrayOutputStream();
            answer.writeTo(bytes);
            return bytes.toString(StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw cut();
        }
    }

    @Override
    public byte[] readFile(String id, String path) {
        return client.readFile(id, path);
    }

    @Override
    public void writeFile(String id, String path, byte[] content) {
        client.writeFile(id, path, content);
    }

    @Override
    public void command(String target, ExecRequest request, Consumer<ExecEvent> events) {
        try (ExecStream stream = client.commandStreaming(target, request.toJson())) {
            while (true) {
                Optional<ExecEvent> event = stream.next();
                if (event.isEmpty()) {
                    throw cut();
                }
                events.accept(event.get());
                if (event.get() instanceof ExecEvent.Exited || event.get() instanceof ExecEvent.Failed) {
                    return;
                }
            }
        }
    }

    private static ServiceCallException cut() {
        return new ServiceCallException(
                ServiceCallException.NO_ANSWER,
                new ServiceError(
                        "the service's answer was cut short",
                        "service_unreachable",
                        "call the tool again; the service is started if it died"));
    }
}
