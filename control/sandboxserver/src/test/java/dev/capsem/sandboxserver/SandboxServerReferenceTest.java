package dev.capsem.sandboxserver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.capsem.http.Front;
import dev.capsem.http.HttpAnswer;
import dev.capsem.http.Request;
import dev.capsem.http.Route;
import dev.capsem.http.RouteWatch;
import dev.capsem.sandboxserver.gateway.GatewaySwitch;
import dev.capsem.sandboxserver.protocol.Access;
import dev.capsem.sandboxserver.protocol.ApiProblem;
import dev.capsem.sandboxserver.protocol.GuardedRoute;
import dev.capsem.sandboxserver.protocol.SandboxServerTable;
import dev.capsem.service.FakeHost;
import dev.capsem.service.SandboxEngine;
import dev.capsem.wire.service.StatusReply;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

class SandboxServerReferenceTest {
    private static final Path REFERENCE = Path.of("../../docs/reference/sandbox-server.md");

    @TempDir
    private Path home = Path.of("replaced by JUnit");

    private final List<String> watched = new ArrayList<>();
    private final RouteWatch watch =
            (route, status, code, _) -> watched.add(route.pattern() + " " + status + " " + code);

    private SandboxServerApi parts(FakeHost fake, SandboxEngine host) {
        return new SandboxServerApi(
                host,
                fake.policy().profiles(),
                home.resolve("server"),
                Clock.fixed(FakeHost.NOW, ZoneOffset.UTC),
                new SecureRandom(),
                watch);
    }

    private static JsonNode call(Front front, int status, String method, String path, String body) {
        HttpAnswer answer = front.handle(new Request(
                method,
                path,
                Map.of(),
                Optional.of("application/json"),
                Optional.empty(),
                _ -> body.getBytes(StandardCharsets.UTF_8)));
        JsonNode json = Answers.body(answer);
        assertThat(answer.status()).as("%s", json).isEqualTo(status);
        return json;
    }

    /// With `-Dgolden.update=true` the reference is written anew.
    @Test
    void referenceListsTheRoutesAsTheyAre() throws IOException {
        FakeHost fake = new FakeHost(home);
        try (SandboxEngine host = fake.open()) {
            StringBuilder table = new StringBuilder("| Route | Scope | Answer | Purpose |\n|---|---|---|---|\n");
            for (GuardedRoute guarded : parts(fake, host).server().routes()) {
                table.append("| `%s %s` | %s | %s | %s |\n"
                        .formatted(
                                guarded.route().method(),
                                guarded.route().pattern(),
                                guarded.access().name().toLowerCase(Locale.ROOT),
                                guarded.route().answer(),
                                guarded.route().purpose()));
            }
            StringBuilder codes = new StringBuilder("| `code` | Status |\n|---|---|\n");
            for (ApiProblem.Code code : ApiProblem.Code.values()) {
                codes.append("| `%s` | %d |\n".formatted(code.wireName(), code.status()));
            }
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

    @Test
    void aSandboxIsForkedPausedListedAndEnded() {
        FakeHost fake = new FakeHost(home);
        try (SandboxEngine host = fake.open()) {
            Front server = parts(fake, host).server();

            call(server, 200, "POST", "/v1/fork", "{\"template\":\"locked-down\",\"id\":\"a\"}");
            JsonNode child = call(server, 200, "POST", "/v1/sandboxes/a/fork", "{\"id\":\"b\"}");
            JsonNode grandchild = call(server, 200, "POST", "/v1/fork", "{\"template\":\"b\",\"id\":\"c\"}");

            assertThat(child.path("template_id").asString()).isEqualTo("a");
            assertThat(grandchild.path("template_id").asString()).isEqualTo("b");
            assertThat(grandchild.at("/network/profile").asString()).isEqualTo("locked-down");
            call(server, 200, "POST", "/v1/pause", "{\"sandbox\":\"b\"}");
            call(server, 409, "POST", "/v1/exec", "{\"sandbox\":\"b\",\"command\":\"ls\"}");
            call(server, 200, "POST", "/v1/resume", "{\"sandbox\":\"b\"}");
            assertThat(call(server, 200, "POST", "/v1/exec", "{\"sandbox\":\"b\",\"command\":\"ls\"}")
                            .path("stdout")
                            .asString())
                    .isEqualTo("ls\n");
            call(server, 409, "POST", "/v1/fork", "{\"template\":\"a\",\"id\":\"b\"}");
            call(server, 200, "DELETE", "/v1/sandboxes/b", "");
            call(server, 404, "DELETE", "/v1/sandboxes/b", "");
            assertThat(call(server, 200, "GET", "/v1/sandboxes", "").size()).isEqualTo(2);
        }
    }

    @Test
    void everyProblemHasCodeCauseAndRemedy() {
        FakeHost fake = new FakeHost(home);
        try (SandboxEngine host = fake.open()) {
            Front server = parts(fake, host).server();

            assertThat(code(call(server, 400, "POST", "/v1/fork", "{"))).isEqualTo("invalid_json");
            assertThat(code(call(server, 400, "POST", "/v1/fork", "{}"))).isEqualTo("invalid_input");
            assertThat(code(call(server, 400, "POST", "/v1/fork", "{\"template\":\"a/b\"}")))
                    .isEqualTo("invalid_input");
            JsonNode noSandbox = call(server, 404, "POST", "/v1/exec", "{\"sandbox\":\"route\",\"command\":\"id\"}");
            assertThat(code(noSandbox)).isEqualTo("not_found");
            assertThat(noSandbox.at("/error/message").asString())
                    .as("old clients take this word for a missing route")
                    .doesNotContain("route");
            JsonNode noRoute = call(server, 404, "POST", "/v1/sandboxes/x/explode", "{}");
            assertThat(code(noRoute)).isEqualTo("not_found");
            assertThat(noRoute.at("/error/message").asString()).contains("route");
        }
    }

    @Test
    void everyAnswerIsWatchedWithItsOwnStatus() {
        FakeHost fake = new FakeHost(home);
        try (SandboxEngine host = fake.open()) {
            Front server = parts(fake, host).server();

            call(server, 200, "GET", "/v1/health", "");
            call(server, 404, "POST", "/v1/exec", "{\"sandbox\":\"nobody\",\"command\":\"id\"}");
            call(server, 400, "POST", "/v1/pause", "{\"sandbox\":7}");
            call(server, 404, "GET", "/v1/none", "");

            assertThat(watched)
                    .containsExactly("/v1/health 200 ", "/v1/exec 404 not_found", "/v1/pause 400 invalid_input");
        }
    }

    @Test
    void aCallerWhoLeavesIsWatchedAsCanceled() {
        Route left = new Route("GET", "/v1/left", Route.BodyKind.NONE, "", "", _ -> {
            throw new HttpAnswer.ClientGoneException();
        });
        var server = new SandboxServerTable(List.of(Access.READ.to(left)), watch);

        assertThatThrownBy(() -> call(server, 200, "GET", "/v1/left", ""))
                .isInstanceOf(HttpAnswer.ClientGoneException.class);

        assertThat(watched).containsExactly("/v1/left 499 canceled");
    }

    @Test
    void damagedFilesAreSaidAndGrantNothing() throws IOException {
        Path folder = Files.createDirectories(home.resolve("server"));
        Files.writeString(folder.resolve("tokens.json"), "{\"tokens\": [{\"id\": \"a\"");
        Files.writeString(folder.resolve("leases.json"), "{\"sandboxes\": [{\"id\": \"a\", \"deadline\": \"soon\"}]}");
        Files.writeString(folder.resolve("gateway.json"), "[]");
        FakeHost fake = new FakeHost(home);
        try (SandboxEngine host = fake.open()) {
            SandboxServerApi parts = parts(fake, host);
            GatewaySwitch none = settings -> assertThat(settings.enabled()).isFalse();
            parts.resume(none);
            Front owner = parts.before(parts.server(), none, (_, problem) -> {
                throw problem;
            });

            assertThat(parts.problems())
                    .extracting(StatusReply.Problem::cause)
                    .satisfiesExactly(
                            gateway -> assertThat(gateway).contains("gateway.json", "not in force"),
                            leases -> assertThat(leases).contains("leases.json"),
                            tokens -> assertThat(tokens).contains("tokens.json", "refused"));
            assertThat(call(owner, 200, "GET", "/tokens", "").path("tokens").isEmpty())
                    .isTrue();
            call(owner, 200, "POST", "/tokens", "{\"scopes\":[\"read\"]}");
            assertThat(folder.resolve("tokens.json.damaged")).content().startsWith("{\"tokens\": [{");
            assertThat(parts(fake, host).problems())
                    .as("until it is put in order")
                    .hasSize(3);
        }
    }

    private static String code(JsonNode json) {
        assertThat(json.at("/error/cause").asString()).isNotBlank();
        assertThat(json.at("/error/remediation").asString()).isNotBlank();
        return json.at("/error/code").asString();
    }

    @Test
    void templatesNeverOpenTheNetwork() {
        FakeHost fake = new FakeHost(home);
        try (SandboxEngine host = fake.open()) {
            Front server = parts(fake, host).server();
            String closed = "{\"id\":\"t\",\"network\":{\"block\":true},\"resources\":{\"vcpu_count\":1}}";

            assertThat(call(server, 200, "POST", "/v1/templates", closed)
                            .at("/network/profile")
                            .asString())
                    .isEqualTo("locked-down");
            call(server, 200, "POST", "/v1/templates", closed);
            call(server, 409, "POST", "/v1/templates", "{\"id\":\"t\"}");
            call(server, 400, "POST", "/v1/templates", "{\"id\":\"u\",\"network\":{\"allow_domains\":[\"a\"]}}");
            call(server, 400, "POST", "/v1/templates", "{\"id\":\"u\",\"workload\":{\"command\":[\"a\"]}}");
            call(server, 422, "POST", "/v1/templates", "{\"id\":\"u\",\"image\":\"python\"}");
            assertThat(call(server, 200, "POST", "/v1/fork", "{\"template\":\"t\",\"id\":\"a\"}")
                            .path("template_id")
                            .asString())
                    .isEqualTo("t");
        }
    }
}
