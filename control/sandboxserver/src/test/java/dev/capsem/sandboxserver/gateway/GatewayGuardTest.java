package dev.capsem.sandboxserver.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.capsem.http.HttpAnswer;
import dev.capsem.http.Request;
import dev.capsem.http.Route;
import dev.capsem.http.RouteWatch;
import dev.capsem.sandboxserver.protocol.Access;
import dev.capsem.sandboxserver.protocol.GuardedRoute;
import dev.capsem.sandboxserver.protocol.SandboxServerTable;
import dev.capsem.sandboxserver.tokens.Scope;
import dev.capsem.sandboxserver.tokens.TokenStore;
import dev.capsem.service.state.StateFile;
import dev.capsem.wire.json.Json;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

class GatewayGuardTest {
    @TempDir
    private Path directory = Path.of("replaced by JUnit");

    private volatile Instant now = Instant.parse("2026-01-01T00:00:00Z");
    private final Clock clock = new Clock() {
        @Override
        public ZoneOffset getZone() {
            return ZoneOffset.UTC;
        }

        @Override
        public Clock withZone(ZoneId zone) {
            return this;
        }

        @Override
        public Instant instant() {
            return now;
        }
    };
    private final Map<String, String> headers = new HashMap<>();
    private final SandboxServerTable server = new SandboxServerTable(
            List.of(
                    route(Access.OPEN, "/v1/health"),
                    route(Access.READ, "/v1/read"),
                    route(Access.EXECUTE, "/v1/run"),
                    route(Access.READ, "/sandbox.v1.Sandbox/List")),
            RouteWatch.NONE);

    private static GuardedRoute route(Access access, String path) {
        return access.to(new Route(
                "GET",
                path,
                Route.BodyKind.NONE,
                "",
                "",
                _ -> HttpAnswer.json(Json.object().put("path", path))));
    }

    @BeforeEach
    void fromLoopback() {
        headers.put("host", "127.0.0.1:19222");
    }

    private TokenStore tokens() {
        return TokenStore.open(new StateFile(directory.resolve("tokens.json")), clock, new SecureRandom());
    }

    private GatewayGuard guard(TokenStore tokens, boolean standalone) {
        return new GatewayGuard(
                server,
                tokens,
                new GatewaySettings(true, "127.0.0.1", 19_222, standalone, Set.of("box.example")),
                clock);
    }

    private int status(GatewayGuard guard, String path) {
        Request request = new Request(
                "GET",
                path,
                Map.of(),
                Optional.empty(),
                Optional.empty(),
                name -> Optional.ofNullable(headers.get(name.toLowerCase(Locale.ROOT))),
                _ -> {
                    throw new AssertionError("no body is read before the request is let in");
                },
                () -> {});
        return ((HttpAnswer.JsonBody) guard.handle(request)).status();
    }

    private void bearer(String token) {
        headers.put("authorization", "Bearer " + token);
    }

    /// As long as the word `Bearer`, so that what follows would be a right token.
    @Test
    void aTokenUnderAnotherSchemeIsNone() {
        TokenStore tokens = tokens();
        TokenStore.Created reader = tokens.create("reader", Set.of(Scope.READ), Set.of(), Set.of(), Optional.empty())
                .orElseThrow();
        GatewayGuard guard = guard(tokens, false);
        headers.put("authorization", "Digest " + reader.secret().reveal());
        assertThat(status(guard, "/v1/read")).isEqualTo(401);

        headers.put("authorization", "bEARER " + reader.secret().reveal());
        assertThat(status(guard, "/v1/read")).isEqualTo(200);
    }

    @Test
    void aTokenOpensWhatItsScopesSay() {
        TokenStore tokens = tokens();
        TokenStore.Created reader = tokens.create("reader", Set.of(Scope.READ), Set.of(), Set.of(), Optional.empty())
                .orElseThrow();
        TokenStore.Created admin = tokens.create("admin", Set.of(Scope.ADMIN), Set.of(), Set.of(), Optional.empty())
                .orElseThrow();
        GatewayGuard guard = guard(tokens, false);

        assertThat(status(guard, "/v1/health")).isEqualTo(200);
        assertThat(status(guard, "/v1/read")).isEqualTo(401);
        assertThat(status(guard, "/v1/nothing")).isEqualTo(401);
        bearer(reader.secret().reveal());
        assertThat(status(guard, "/v1/read")).isEqualTo(200);
        assertThat(status(guard, "/v1/run")).isEqualTo(403);
        bearer(admin.secret().reveal());
        assertThat(status(guard, "/v1/run")).isEqualTo(200);
    }

    @Test
    void anExpiredOrRevokedTokenOpensNothing() {
        TokenStore tokens = tokens();
        TokenStore.Created brief = tokens.create(
                        "brief", Set.of(Scope.READ), Set.of(), Set.of(), Optional.of(Duration.ofSeconds(5)))
                .orElseThrow();
        GatewayGuard guard = guard(tokens, false);
        bearer(brief.secret().reveal());

        assertThat(status(guard, "/v1/read")).isEqualTo(200);
        now = now.plusSeconds(5);
        assertThat(status(guard, "/v1/read")).isEqualTo(401);
        now = now.minusSeconds(1);
        assertThat(tokens.revoke("brief")).isEqualTo(1);
        assertThat(status(guard, "/v1/read")).isEqualTo(401);
    }

    @Test
    void tokensOutliveARestartButTheirSecretsAreNotOnDisk() throws Exception {
        TokenStore.Created made = tokens().create("x", Set.of(Scope.READ), Set.of(), Set.of(), Optional.empty())
                .orElseThrow();
        bearer(made.secret().reveal());

        assertThat(status(guard(tokens(), false), "/v1/read")).isEqualTo(200);
        assertThat(Files.readString(directory.resolve("tokens.json")))
                .doesNotContain(made.secret().reveal());
        assertThat(made.toString()).doesNotContain(made.secret().reveal());
    }

    @Test
    void theFileOfTokensIsItsOwnersAlone() throws Exception {
        assertThat(tokens().create("x", Set.of(Scope.READ), Set.of(), Set.of(), Optional.empty()))
                .isPresent();

        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(directory.resolve("tokens.json"))))
                .isEqualTo("rw-------");
    }

    /// Who may do what is not guessed from the rest of it.
    @Test
    void ofAFileWithOneDamagedTokenNoneCounts() throws Exception {
        TokenStore.Created made = tokens().create("x", Set.of(Scope.READ), Set.of(), Set.of(), Optional.empty())
                .orElseThrow();
        Path file = directory.resolve("tokens.json");
        ObjectNode json = (ObjectNode) Json.parse(Files.readAllBytes(file));
        ((ArrayNode) json.get("tokens")).addObject().put("id", 7);
        Files.write(file, Json.bytes(json));
        bearer(made.secret().reveal());

        assertThat(status(guard(tokens(), false), "/v1/read")).isEqualTo(401);
        assertThat(directory.resolve("tokens.json.damaged")).exists();
    }

    @Test
    void afterTwentyFailuresWrongTokensWaitAndRightOnesDoNot() {
        TokenStore tokens = tokens();
        TokenStore.Created right = tokens.create("x", Set.of(Scope.READ), Set.of(), Set.of(), Optional.empty())
                .orElseThrow();
        GatewayGuard guard = guard(tokens, false);
        bearer("wrong");
        for (int i = 0; i < FailedLogins.FAILURES_MAX; i++) {
            assertThat(status(guard, "/v1/read")).isEqualTo(401);
        }

        assertThat(status(guard, "/v1/read")).isEqualTo(429);
        bearer(right.secret().reveal());
        assertThat(status(guard, "/v1/read")).isEqualTo(200);
        bearer("wrong");
        now = now.plus(FailedLogins.WINDOW);
        assertThat(status(guard, "/v1/read")).isEqualTo(401);
    }

    @ParameterizedTest
    @ValueSource(strings = {"localhost", "LOCALHOST:1", "127.0.0.1:19222", "[::1]:19222", "box.example"})
    void answersToItsOwnNames(String host) {
        headers.put("host", host);

        assertThat(status(guard(tokens(), true), "/v1/read")).isEqualTo(200);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "evil.example", "127.0.0.1.evil.example", "localhost.", "localhost@evil.example", "a b"})
    void answersToNoOtherName(String host) {
        headers.put("host", host);

        assertThat(status(guard(tokens(), true), "/v1/health")).isEqualTo(403);
    }

    @ParameterizedTest
    @ValueSource(strings = {"null", "http://evil.example", "http://localhost:19222", "file://", "http://127.0.0.1"})
    void pagesOfAnotherOriginAreRefused(String origin) {
        headers.put("origin", origin);

        assertThat(status(guard(tokens(), true), "/v1/read")).isEqualTo(403);
    }

    @ParameterizedTest
    @ValueSource(strings = {"0.0.0.0", "192.168.1.1", "::", "localhost", "127.0.0.1.evil", "1.127.0.0"})
    void onlyLoopbackIsServed(String address) {
        assertThat(catchThrowable(() -> new GatewaySettings(true, address, 0, false, Set.of())))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
