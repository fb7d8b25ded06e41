package dev.capsem.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.capsem.wire.json.Json;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class RouteTableTest {
    private final RouteTable table = new RouteTable(
            List.of(
                    route("GET", "/list", Route.BodyKind.NONE),
                    route("GET", "/files/{id}", Route.BodyKind.NONE),
                    route("GET", "/files/{id}/content", Route.BodyKind.NONE),
                    route("POST", "/exec/{id}", Route.BodyKind.JSON),
                    route("POST", "/stop/{id}", Route.BodyKind.OPTIONAL_JSON)),
            RouteTable.JSON_BYTES_MAX,
            RouteTableTest::told,
            RouteWatch.NONE);

    private static ErrorTable.Told told(Request request, RuntimeException problem) {
        HttpProblem malformed = (HttpProblem) problem;
        int status = malformed.code().status();
        return new ErrorTable.Told(
                status,
                malformed.code().wireName(),
                new HttpAnswer.JsonBody(status, malformed.error().toJson()));
    }

    private static Route route(String method, String pattern, Route.BodyKind body) {
        return new Route(
                method,
                pattern,
                body,
                "",
                "",
                call -> HttpAnswer.json(Json.object()
                        .put("pattern", pattern)
                        .put("id", call.variables().getOrDefault("id", ""))
                        .put("body", Json.text(call.json()))));
    }

    private static Request request(String method, String path, String contentType, String body) {
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        return new Request(method, path, Map.of(), Optional.of(contentType), Optional.empty(), bytesMax -> {
            if (bytes.length > bytesMax) {
                throw new HttpProblem(HttpProblem.Code.TOO_LARGE, "too large", "send less");
            }
            return bytes;
        });
    }

    private static Request get(String path) {
        return request("GET", path, "", "");
    }

    private static String member(HttpAnswer answer, String name) {
        return ((HttpAnswer.JsonBody) answer).body().path(name).asString();
    }

    private void refuses(Request request, HttpProblem.Code code) {
        HttpAnswer answer = table.handle(request);
        assertThat(answer.status()).isEqualTo(code.status());
        assertThat(member(answer, "code")).isEqualTo(code.wireName());
        assertThat(member(answer, "remedy")).isNotBlank();
    }

    @Test
    void choosesByWholePath() {
        assertThat(member(table.handle(get("/files/lab")), "pattern")).isEqualTo("/files/{id}");
        assertThat(member(table.handle(get("/files/lab/content")), "pattern")).isEqualTo("/files/{id}/content");
        assertThat(member(table.handle(get("/files/lab")), "id")).isEqualTo("lab");
    }

    @Test
    void unknownPathsAreNotFound() {
        for (String path : List.of("/", "/lists", "/list/", "/files", "/files/", "/files//content", "/files/a/b/c")) {
            refuses(get(path), HttpProblem.Code.ROUTE_NOT_FOUND);
        }
    }

    @Test
    void knownPathWithAnotherMethodSaysWhichOneIsMeant() {
        refuses(get("/exec/lab"), HttpProblem.Code.METHOD_NOT_ALLOWED);
        assertThat(member(table.handle(get("/exec/lab")), "remedy")).contains("POST");
    }

    @Test
    void jsonRoutesTakeJsonOnly() {
        refuses(request("POST", "/exec/lab", "text/plain", "{}"), HttpProblem.Code.NOT_JSON);
        refuses(request("POST", "/exec/lab", "application/json", "{\"a\":"), HttpProblem.Code.BAD_JSON);
        refuses(request("POST", "/exec/lab", "application/json", ""), HttpProblem.Code.BAD_JSON);
        refuses(request("POST", "/exec/lab", "application/json", "{}{}"), HttpProblem.Code.BAD_JSON);
        assertThat(member(table.handle(request("POST", "/exec/lab", "Application/JSON; charset=utf-8", "{}")), "body"))
                .isEqualTo("{}");
    }

    @Test
    void bodiesBeyondTheCapAreRefused() {
        String large = "\"" + "x".repeat(RouteTable.JSON_BYTES_MAX) + "\"";

        refuses(request("POST", "/exec/lab", "application/json", large), HttpProblem.Code.TOO_LARGE);
    }

    @Test
    void optionalBodyMayBeAbsentAndNeedsNoContentType() {
        assertThat(member(table.handle(request("POST", "/stop/lab", "", "")), "body"))
                .isEqualTo("{}");
        assertThat(member(table.handle(request("POST", "/stop/lab", "text/plain", "{\"a\":1}")), "body"))
                .isEqualTo("{\"a\":1}");
        refuses(request("POST", "/stop/lab", "", "nonsense"), HttpProblem.Code.BAD_JSON);
    }

    @Test
    void queryNumbersStayInTheirBounds() {
        RouteCall call = new RouteCall(
                new Request(
                        "GET",
                        "/x",
                        Map.of("limit", List.of("7"), "word", List.of("seven"), "big", List.of("99999999999")),
                        Optional.empty(),
                        Optional.empty(),
                        _ -> new byte[0]),
                Map.of(),
                Json.object());

        assertThat(call.query("limit", 5, 1, 10)).isEqualTo(7);
        assertThat(call.query("absent", 5, 1, 10)).isEqualTo(5);
        for (String name : List.of("word", "big")) {
            assertThatThrownBy(() -> call.query(name, 5, 1, 10)).isInstanceOf(HttpProblem.class);
        }
        assertThatThrownBy(() -> call.query("limit", 5, 1, 6)).isInstanceOf(HttpProblem.class);
    }
}
