package dev.capsem.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.http.HttpAnswer;
import dev.capsem.http.HttpProblem;
import dev.capsem.http.Request;
import dev.capsem.http.Route;
import dev.capsem.http.RouteTable;
import dev.capsem.service.FakeHost;
import dev.capsem.service.SandboxEngine;
import dev.capsem.service.problem.ServiceProblem;
import dev.capsem.wire.json.Json;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/// The routes with everything behind them, but no socket in front and no process behind.
class ServiceApiTest {
    private static final Path REFERENCE = Path.of("../../docs/reference/service-api.md");

    @TempDir
    private Path home = Path.of("replaced by JUnit");

    private final AtomicBoolean ended = new AtomicBoolean();

    private RouteTable routes(FakeHost fake, SandboxEngine host) {
        return new TestService(fake, host, () -> ended.set(true)).routes();
    }

    private static HttpAnswer call(RouteTable routes, String method, String path, String body, String accept) {
        String[] parts = path.split("\\?", 2);
        Map<String, List<String>> query = new HashMap<>();
        if (parts.length == 2) {
            for (String pair : parts[1].split("&")) {
                String[] sides = pair.split("=", 2);
                query.put(sides[0], List.of(sides[1]));
            }
        }
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        return routes.handle(
                new Request(method, parts[0], query, Optional.of("application/json"), Optional.of(accept), _ -> bytes));
    }

    private static JsonNode json(RouteTable routes, String method, String path, String body) {
        HttpAnswer answer = call(routes, method, path, body, "application/json");
        assertThat(answer.status()).isEqualTo(200);
        if (answer instanceof HttpAnswer.Last last) {
            last.then().run();
            return last.body();
        }
        return Calls.body(answer);
    }

    private static String streamed(HttpAnswer answer) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        ((HttpAnswer.Stream) answer).producer().produce(all::writeBytes);
        return all.toString(StandardCharsets.UTF_8);
    }

    @Test
    void oneSandboxFromCreationToDeletion() {
        FakeHost fake = new FakeHost(home);
        try (SandboxEngine host = fake.open()) {
            RouteTable routes = routes(fake, host);

            JsonNode created = json(routes, "POST", "/provision", "{\"name\":\"lab\",\"persistent\":true}");
            assertThat(created.path("id").asString()).isEqualTo("lab");
            assertThat(created.path("uds_path").asString()).endsWith("/lab.sock");
            assertThat(json(routes, "GET", "/list", "").path("sandboxes").size())
                    .isEqualTo(1);
            JsonNode shown = json(routes, "GET", "/info/lab", "");
            assertThat(shown.path("status").asString()).isEqualTo("Running");
            assertThat(shown.path("process_exec_count").asInt()).isEqualTo(3);
            assertThat(shown.has("last_error")).isFalse();
            JsonNode executed = json(routes, "POST", "/exec/lab", "{\"command\":\"ls\"}");
            assertThat(executed.path("stdout").asString()).isEqualTo("ls\n");
            assertThat(executed.path("exit_code").asInt()).isEqualTo(3);
            assertThat(json(routes, "POST", "/suspend/lab", "").path("mode").asString())
                    .isEqualTo("freeze");
            assertThat(json(routes, "POST", "/resume/lab", "").path("mode").asString())
                    .isEqualTo("thaw");
            assertThat(json(routes, "POST", "/fork/lab", "{\"name\":\"twin\"}")
                            .path("size_bytes")
                            .asLong())
                    .isEqualTo(123);
            assertThat(json(routes, "POST", "/stop/lab", "").path("persistent").asBoolean())
                    .isTrue();
            assertThat(json(routes, "DELETE", "/delete/lab", "").path("success").asBoolean())
                    .isTrue();
            assertThat(json(routes, "POST", "/purge", "{\"all\":true}")
                            .path("purged")
                            .asInt())
                    .isEqualTo(1);
        }
    }

    @Test
    void execStreamsLinesWhenAskedTo() {
        FakeHost fake = new FakeHost(home);
        try (SandboxEngine host = fake.open()) {
            RouteTable routes = routes(fake, host);
            json(routes, "POST", "/provision", "{\"name\":\"lab\"}");

            String lines = streamed(call(routes, "POST", "/exec/lab", "{\"argv\":[\"ls\"]}", "application/x-ndjson"));

            assertThat(lines.lines().map(line -> Json.parse(line).path("type").asString()))
                    .containsExactly("started", "stdout", "stderr", "exit");
        }
    }

    @Test
    void runLeavesNoSandboxBehindWhateverHappens() {
        FakeHost fake = new FakeHost(home);
        try (SandboxEngine host = fake.open()) {
            RouteTable routes = routes(fake, host);

            assertThat(json(routes, "POST", "/run", "{\"command\":\"ls\"}")
                            .path("exit_code")
                            .asInt())
                    .isEqualTo(3);
            streamed(call(routes, "POST", "/run", "{\"command\":\"ls\"}", "application/x-ndjson"));
            assertThat(call(routes, "POST", "/run", "{\"command\":\"\\u0000\"}", "application/json")
                            .status())
                    .isEqualTo(422);

            assertThat(json(routes, "GET", "/list", "").path("sandboxes").size())
                    .isZero();
            assertThat(fake.ledger()).filteredOn(line -> line.endsWith("RUN")).hasSize(2);
            assertThat(fake.ledger())
                    .filteredOn(line -> line.endsWith("STOPPED"))
                    .hasSize(2);
        }
    }

    @Test
    void filesGoThroughTheAgentAndItsExitCodesBecomeStatuses() {
        FakeHost fake = new FakeHost(home);
        try (SandboxEngine host = fake.open()) {
            RouteTable routes = routes(fake, host);
            json(routes, "POST", "/provision", "{\"name\":\"lab\"}");

            HttpAnswer read = call(routes, "GET", "/files/lab/content?path=/root/a/b.txt", "", "*/*");
            assertThat(((HttpAnswer.Content) read).mediaType()).isEqualTo("text/plain");
            assertThat(new String(((HttpAnswer.Content) read).bytes(), StandardCharsets.UTF_8))
                    .isEqualTo("file-read a/b.txt 10485760");
            Map<Integer, ServiceProblem.Code> codes = Map.of(
                    2, ServiceProblem.Code.FILE_NOT_FOUND,
                    3, ServiceProblem.Code.PATH_OUTSIDE,
                    4, ServiceProblem.Code.TOO_LARGE,
                    5, ServiceProblem.Code.OPERATION_FAILED);
            codes.forEach((exit, code) -> {
                fake.processes().answerFileOperationsWith(exit);
                new Calls(routes).refused(code, "GET", "/files/lab/content?path=a", "");
            });
        }
    }

    @Test
    void wrongShapesAreNamedByMember() {
        FakeHost fake = new FakeHost(home);
        try (SandboxEngine host = fake.open()) {
            RouteTable routes = routes(fake, host);

            for (String body :
                    List.of("[1]", "{}", "{\"argv\":[]}", "{\"command\":7}", "{\"command\":\"a\",\"argv\":[\"b\"]}")) {
                new Calls(routes).refused(ServiceProblem.Code.WRONG_SHAPE, "POST", "/exec/lab", body);
            }
            assertThat(new Calls(routes)
                            .refused(ServiceProblem.Code.WRONG_SHAPE, "POST", "/provision", "{\"cpus\":\"two\"}")
                            .error())
                    .contains("cpus");
        }
    }

    @Test
    void statusTellsWhatTheHostCanDo() {
        FakeHost fake = new FakeHost(home);
        try (SandboxEngine host = fake.open()) {
            JsonNode status = json(routes(fake, host), "GET", "/status", "");

            assertThat(status.path("abilities").path("suspend").asString()).isEqualTo("freeze");
            assertThat(status.path("abilities").path("memory_limit").asString()).isEqualTo("watched");
            assertThat(status.path("abilities").path("kernel_counts").asString())
                    .isEqualTo("shared_with_user");
            assertThat(status.path("sandboxes_max").asInt()).isEqualTo(4);
        }
    }

    @Test
    void shutdownEndsAfterItsAnswer() {
        FakeHost fake = new FakeHost(home);
        try (SandboxEngine host = fake.open()) {
            json(routes(fake, host), "POST", "/shutdown", "");

            assertThat(ended).isTrue();
        }
    }

    /// With `-Dgolden.update=true` the reference is written anew.
    @Test
    void referenceListsTheRoutesAsTheyAre() throws IOException {
        FakeHost fake = new FakeHost(home);
        try (SandboxEngine host = fake.open()) {
            StringBuilder table = new StringBuilder("| Route | Body | Answer | Purpose |\n|---|---|---|---|\n");
            for (Route route : routes(fake, host).routes()) {
                table.append("| `")
                        .append(route.method())
                        .append(' ')
                        .append(route.pattern())
                        .append("` | ")
                        .append(
                                switch (route.body()) {
                                    case NONE -> "—";
                                    case JSON -> "JSON";
                                    case OPTIONAL_JSON -> "JSON, optional";
                                    case BYTES -> "bytes";
                                })
                        .append(" | ")
                        .append(route.answer())
                        .append(" | ")
                        .append(route.purpose())
                        .append(" |\n");
            }
            StringBuilder codes = new StringBuilder("| Status | `code` |\n|---|---|\n");
            Map<String, Integer> statuses = new LinkedHashMap<>();
            for (HttpProblem.Code code : HttpProblem.Code.values()) {
                statuses.put(code.wireName(), code.status());
            }
            for (ServiceProblem.Code code : ServiceProblem.Code.values()) {
                statuses.merge(code.wireName(), ServiceErrors.status(code), (own, same) -> {
                    assertThat(same).as("%s means one thing", code).isEqualTo(own);
                    return own;
                });
            }
            statuses.entrySet().stream()
                    .sorted(Map.Entry.comparingByValue())
                    .forEach(row -> codes.append("| %d | `%s` |\n".formatted(row.getValue(), row.getKey())));
            String reference = Files.readString(REFERENCE);
            String current = between(between(reference, "routes", table.toString()), "codes", codes.toString());
            if (Boolean.getBoolean("golden.update")) {
                Files.writeString(REFERENCE, current);
            }

            assertThat(Files.readString(REFERENCE)).isEqualTo(current);
        }
    }

    private static String between(String document, String mark, String content) {
        String begin = "<!-- " + mark + " -->\n";
        String end = "<!-- /" + mark + " -->";
        int from = document.indexOf(begin) + begin.length();
        int to = document.indexOf(end);
        assertThat(to).as("the marks of %s in the reference", mark).isGreaterThan(from - 1);
        return document.substring(0, from) + content + document.substring(to);
    }
}
