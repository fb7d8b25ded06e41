package dev.capsem.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.http.HttpAnswer;
import dev.capsem.http.Request;
import dev.capsem.http.RouteTable;
import dev.capsem.service.problem.ServiceProblem;
import dev.capsem.wire.json.Json;
import dev.capsem.wire.service.ServiceError;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/// Requests without a socket.
public final class Calls {
    private final RouteTable routes;

    public Calls(RouteTable routes) {
        this.routes = routes;
    }

    public HttpAnswer call(String method, String path, String body) {
        String[] parts = path.split("\\?", 2);
        Map<String, List<String>> query = new HashMap<>();
        if (parts.length == 2) {
            for (String pair : parts[1].split("&")) {
                String[] sides = pair.split("=", 2);
                query.put(sides[0], List.of(sides[1]));
            }
        }
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        return routes.handle(new Request(
                method, parts[0], query, Optional.of("application/json"), Optional.of("application/json"), _ -> bytes));
    }

    public JsonNode json(int status, String method, String path, String body) {
        HttpAnswer answer = call(method, path, body);
        JsonNode json = body(answer);
        assertThat(answer.status()).as("%s", json).isEqualTo(status);
        return json;
    }

    /// As a client would read it.
    public static JsonNode body(HttpAnswer answer) {
        return switch (answer) {
            case HttpAnswer.JsonBody json -> Json.parse(Json.bytes(json.body()));
            case HttpAnswer.LongBody json -> {
                var bytes = new ByteArrayOutputStream();
                try (HttpAnswer.Document document = json.document()) {
                    Json.write(bytes, document::write);
                }
                yield Json.parse(bytes.toByteArray());
            }
            case HttpAnswer.Content content -> Json.parse(content.bytes());
            default -> throw new AssertionError("not JSON: " + answer);
        };
    }

    public JsonNode get(String path) {
        return json(200, "GET", path, "");
    }

    public JsonNode post(String path, String body) {
        return json(200, "POST", path, body);
    }

    public JsonNode delete(String path) {
        return json(200, "DELETE", path, "");
    }

    /// The error body, which has the status of its code.
    public ServiceError refused(ServiceProblem.Code code, String method, String path, String body) {
        ServiceError error = ServiceError.fromJson(json(ServiceErrors.status(code), method, path, body));
        assertThat(error.code()).as("%s", error.error()).isEqualTo(code.wireName());
        assertThat(error.remedy()).isNotBlank();
        return error;
    }
}
