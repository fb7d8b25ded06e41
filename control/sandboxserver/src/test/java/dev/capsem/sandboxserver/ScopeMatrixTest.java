package dev.capsem.sandboxserver;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.http.Front;
import dev.capsem.http.HttpAnswer;
import dev.capsem.http.Request;
import dev.capsem.http.WebSocketHandler;
import dev.capsem.sandboxserver.gateway.GatewaySettings;
import dev.capsem.sandboxserver.protocol.Access;
import dev.capsem.sandboxserver.protocol.GuardedRoute;
import dev.capsem.sandboxserver.tokens.Scope;
import dev.capsem.service.FakeHost;
import dev.capsem.service.SandboxEngine;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/// Every route against every scope: a token opens what its scopes say, and of the rest nothing is read or done.
class ScopeMatrixTest {
    @TempDir
    private Path home = Path.of("replaced by JUnit");

    private final List<String> watched = new ArrayList<>();
    private final Map<String, String> headers = new HashMap<>();
    private final AtomicBoolean isBodyRead = new AtomicBoolean();
    private FakeHost fake;
    private SandboxEngine host;
    private SandboxServerApi parts;

    @BeforeEach
    void open() {
        fake = new FakeHost(home);
        host = fake.open();
        parts = new SandboxServerApi(
                host,
                fake.policy().profiles(),
                home.resolve("server"),
                Clock.fixed(FakeHost.NOW, ZoneOffset.UTC),
                new SecureRandom(),
                (route, status, code, _) ->
                        watched.add(route.method() + " " + route.pattern() + " " + status + " " + code));
        headers.put("host", "127.0.0.1:19222");
    }

    @AfterEach
    void close() {
        host.close();
    }

    @ParameterizedTest
    @EnumSource(Scope.class)
    void aScopeOpensItsOwnRoutesAndNoOther(Scope scope) {
        login(scope.wireName(), "");
        for (GuardedRoute one : parts.server().routes()) {
            boolean isOpen = one.access() == Access.OPEN
                    || scope == Scope.ADMIN
                    || one.access().scope().equals(Optional.of(scope));
            isBodyRead.set(false);
            watched.clear();

            HttpAnswer answer = ask(one.route().method(), path(one), "{}");

            String what = scope + " " + one.route().method() + " " + one.route().pattern();
            if (isOpen) {
                assertThat(answer.status()).as(what).isNotIn(401, 403);
            } else {
                assertThat(answer.status()).as(what).isEqualTo(403);
                assertThat(isBodyRead)
                        .as("%s: what it sent was not even read", what)
                        .isFalse();
                assertThat(watched)
                        .as("%s: it is counted", what)
                        .containsExactly(
                                one.route().method() + " " + one.route().pattern() + " 403 forbidden");
            }
        }
        if (scope != Scope.ADMIN && scope != Scope.LIFECYCLE) {
            assertThat(host.sandboxes().all()).isEmpty();
        }
    }

    @Test
    void withoutATokenNothingButHealthAnswers() {
        for (GuardedRoute one : parts.server().routes()) {
            int status = ask(one.route().method(), path(one), "{}").status();
            if (one.access() == Access.OPEN) {
                assertThat(status).isEqualTo(200);
            } else {
                assertThat(status).as(one.route().pattern()).isIn(401, 429);
            }
        }
        assertThat(isBodyRead).isFalse();
        assertThat(watched).anyMatch(line -> line.endsWith("401 unauthorized"));
    }

    /// The service's own routes are for its Unix socket: to answer questions, to make tokens as the owner, to read
    /// secrets, rules and records.
    @ParameterizedTest
    @ValueSource(
            strings = {
                "POST /confirm/ask-1",
                "GET /confirm/pending",
                "GET /confirm/stream",
                "POST /tokens",
                "GET /tokens",
                "POST /gateway",
                "GET /list",
                "POST /provision",
                "GET /secrets",
                "POST /rules/coding",
                "POST /mcp/tools/a/approve",
                "POST /inspect/a",
                "POST /shutdown",
                "GET /v1",
                "GET /v1/tokens/",
                "POST /v1//fork",
                "POST /v1/fork/",
                "POST /V1/fork",
                "PUT /v1/tokens",
                "HEAD /v1/tokens",
                "post /v1/tokens",
                "TRACE /v1/health",
                "OPTIONS /v1/tokens"
            })
    void noOtherRouteIsThereNotEvenForAdministrators(String request) {
        String method = request.split(" ", 2)[0];
        String path = request.split(" ", 2)[1];
        assertThat(ask(method, path, "{}").status()).isEqualTo(401);
        login("admin", "");

        assertThat(ask(method, path, "{}").status()).isIn(404, 405);

        assertThat(host.sandboxes().all()).isEmpty();
    }

    /// Headers that some servers obey.
    @ParameterizedTest
    @ValueSource(strings = {"x-http-method-override", "x-original-url", "x-rewrite-url", "x-forwarded-prefix"})
    void noHeaderLeadsToAnotherRoute(String header) {
        login("read", "");
        headers.put(header, header.contains("method") ? "POST" : "/v1/tokens");

        JsonNode answer = Answers.body(ask("GET", "/v1/sandboxes", ""));

        assertThat(answer.isArray()).isTrue();
    }

    /// What `GET /v1/sandboxes` leaves out, the list of what can be forked leaves out too.
    @Test
    void whatATokenIsNotForItDoesNotSeeAmongTheTemplates() {
        login("admin", "");
        ok("POST", "/v1/templates", "{\"id\":\"open-pool\",\"profile\":\"observe\"}");
        ok("POST", "/v1/templates", "{\"id\":\"closed-pool\",\"profile\":\"locked-down\"}");

        login("read", ",\"profiles\":[\"locked-down\"]");
        String listed = ok("GET", "/v1/templates", "").toString();

        assertThat(listed).contains("closed-pool", "locked-down").doesNotContain("open-pool", "observe");
    }

    @Test
    void whatGoesOnEndsWhenItsTokenIsRevoked() {
        login("admin", "");
        ok("POST", "/v1/fork", "{\"template\":\"default\",\"id\":\"a\"}");
        String id = login("execute", "");
        HttpAnswer.Upgrade terminal = (HttpAnswer.Upgrade) ask("GET", "/sandbox.v1.Sandbox/Exec?sandbox=a", "");
        FakePeer client = new FakePeer();
        terminal.handler().opened(client);
        HttpAnswer.Stream stream =
                (HttpAnswer.Stream) ask("POST", "/v1/exec/stream", "{\"sandbox\":\"a\",\"command\":\"ls\"}");
        List<byte[]> written = new ArrayList<>();

        revoke(id);

        assertThat(terminal.handler().binary(ByteBuffer.allocate(0))).isFalse();
        assertThat(client.isClosed).isTrue();
        try {
            stream.producer().produce(written::add);
        } catch (HttpAnswer.ClientGoneException gone) {
            // As for a client that left.
        }
        assertThat(written).isEmpty();
        assertThat(ask("POST", "/v1/exec", "{\"sandbox\":\"a\",\"command\":\"ls\"}")
                        .status())
                .isEqualTo(401);
    }

    private static final class FakePeer implements WebSocketHandler.Peer {
        private boolean isClosed;

        @Override
        public boolean send(ByteBuffer frame) {
            return true;
        }

        @Override
        public void sendLast(ByteBuffer frame, Runnable then) {}

        @Override
        public void sendLast(String frame, Runnable then) {}

        @Override
        public void close() {
            isClosed = true;
        }
    }

    private void revoke(String id) {
        String bearer = headers.get("authorization");
        login("admin", "");
        ok("DELETE", "/v1/tokens/" + id, "");
        headers.put("authorization", bearer);
    }

    private static String path(GuardedRoute one) {
        return one.route().pattern().replaceAll("\\{[a-z]+}", "none-such");
    }

    /// The id of the token.
    private String login(String scope, String limits) {
        JsonNode made = Answers.body(
                call(parts.server(), "POST", "/v1/tokens", "{\"scopes\":[\"" + scope + "\"]" + limits + "}"));
        headers.put("authorization", "Bearer " + made.path("token").asString());
        return made.path("id").asString();
    }

    private JsonNode ok(String method, String path, String body) {
        HttpAnswer answer = ask(method, path, body);
        assertThat(answer.status()).as("%s %s", method, path).isEqualTo(200);
        return Answers.body(answer);
    }

    private HttpAnswer ask(String method, String path, String body) {
        return call(parts.guard(new GatewaySettings(true, "127.0.0.1", 19_222, false, Set.of())), method, path, body);
    }

    private HttpAnswer call(Front front, String method, String path, String body) {
        String[] parted = path.split("\\?sandbox=", 2);
        return front.handle(new Request(
                method,
                parted[0],
                parted.length == 2 ? Map.of("sandbox", List.of(parted[1])) : Map.of(),
                Optional.of("application/json"),
                Optional.empty(),
                name -> Optional.ofNullable(headers.get(name.toLowerCase(Locale.ROOT))),
                _ -> {
                    isBodyRead.set(true);
                    return body.getBytes(StandardCharsets.UTF_8);
                },
                () -> {}));
    }
}
