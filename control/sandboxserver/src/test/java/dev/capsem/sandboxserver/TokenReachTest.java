package dev.capsem.sandboxserver;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.http.Front;
import dev.capsem.http.HttpAnswer;
import dev.capsem.http.Request;
import dev.capsem.sandboxserver.gateway.GatewaySettings;
import dev.capsem.service.FakeHost;
import dev.capsem.service.SandboxEngine;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
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
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/// Tokens reach the profiles and sandboxes that they are for, whatever a request calls them.
class TokenReachTest {
    private static final String ALL_BUT_ADMIN = "\"scopes\":[\"read\",\"execute\",\"lifecycle\"]";

    @TempDir
    private Path home = Path.of("replaced by JUnit");

    private final List<String> watched = new ArrayList<>();
    private final Map<String, String> headers = new HashMap<>();
    private FakeHost fake;
    private SandboxEngine host;
    private SandboxServerApi parts;

    @BeforeEach
    void open() {
        fake = new FakeHost(home);
        host = fake.open();
        parts = parts();
        headers.put("host", "127.0.0.1:19222");
    }

    @AfterEach
    void close() {
        host.close();
    }

    private SandboxServerApi parts() {
        return new SandboxServerApi(
                host,
                fake.policy().profiles(),
                home.resolve("server"),
                Clock.fixed(FakeHost.NOW, ZoneOffset.UTC),
                new SecureRandom(),
                (route, status, code, _) -> watched.add(route.pattern() + " " + status + " " + code));
    }

    private Front guard(boolean standalone) {
        return parts.guard(new GatewaySettings(true, "127.0.0.1", 19_222, standalone, Set.of()));
    }

    private void login(String limits) {
        String made = owner(200, "POST", "/v1/tokens", "{" + limits + "}")
                .path("token")
                .asString();
        headers.put("authorization", "Bearer " + made);
    }

    private JsonNode owner(int status, String method, String path, String body) {
        return call(parts.server(), status, method, path, body);
    }

    private JsonNode bearer(int status, String method, String path, String body) {
        return call(guard(false), status, method, path, body);
    }

    private JsonNode call(Front front, int status, String method, String path, String body) {
        String[] parted = path.split("\\?sandbox=", 2);
        HttpAnswer answer = front.handle(new Request(
                method,
                parted[0],
                parted.length == 2 ? Map.of("sandbox", List.of(parted[1])) : Map.of(),
                Optional.of("application/json"),
                Optional.empty(),
                name -> Optional.ofNullable(headers.get(name.toLowerCase(Locale.ROOT))),
                _ -> body.getBytes(StandardCharsets.UTF_8),
                () -> {}));
        JsonNode json = Answers.body(answer);
        assertThat(answer.status()).as("%s %s: %s", method, path, json).isEqualTo(status);
        return json;
    }

    @Test
    void aTokenIsForTheChosenProfileUnlessItNamesOthers() {
        login(ALL_BUT_ADMIN);

        JsonNode refused = bearer(403, "POST", "/v1/fork", "{\"template\":\"observe\",\"id\":\"obs\"}");

        assertThat(refused.at("/error/code").asString()).isEqualTo("forbidden");
        assertThat(refused.at("/error/context/required_profile").asString()).isEqualTo("observe");
        assertThat(refused.at("/error/remediation").asString()).contains("--profile observe");
        assertThat(watched).contains("/v1/fork 403 forbidden");
        assertThat(host.sandboxes().all()).isEmpty();
        bearer(200, "POST", "/v1/fork", "{\"template\":\"default\",\"id\":\"a\"}");
        bearer(200, "POST", "/v1/fork", "{\"template\":\"locked-down\",\"id\":\"b\"}");
        bearer(200, "POST", "/v1/exec", "{\"sandbox\":\"a\",\"command\":\"ls\"}");

        login(ALL_BUT_ADMIN + ",\"profiles\":[\"observe\"]");
        bearer(200, "POST", "/v1/fork", "{\"template\":\"observe\",\"id\":\"obs\"}");
        bearer(403, "POST", "/v1/fork", "{\"template\":\"default\",\"id\":\"c\"}");
        bearer(403, "POST", "/v1/exec", "{\"sandbox\":\"a\",\"command\":\"ls\"}");
    }

    @Test
    void noDetourLeadsToAnotherProfile() {
        owner(200, "POST", "/v1/templates", "{\"id\":\"pool\",\"profile\":\"observe\"}");
        owner(200, "POST", "/v1/fork", "{\"template\":\"observe\",\"id\":\"obs\"}");
        login(ALL_BUT_ADMIN);

        bearer(403, "POST", "/v1/fork", "{\"template\":\"pool\",\"id\":\"x\"}");
        bearer(403, "POST", "/v1/fork", "{\"template\":\"obs\",\"id\":\"x\"}");
        bearer(403, "POST", "/v1/sandboxes/obs/fork", "{\"id\":\"x\"}");
        bearer(403, "POST", "/v1/templates", "{\"id\":\"mine\",\"profile\":\"observe\"}");
        bearer(403, "POST", "/v1/exec", "{\"sandbox\":\"obs\",\"command\":\"ls\"}");
        bearer(403, "POST", "/v1/exec/stream", "{\"sandbox\":\"obs\",\"command\":\"ls\"}");
        bearer(403, "POST", "/v1/files/read", "{\"sandbox\":\"obs\",\"path\":\"/etc/passwd\"}");
        bearer(403, "POST", "/v1/pause", "{\"sandbox\":\"obs\"}");
        bearer(403, "POST", "/v1/set_timeout", "{\"sandbox\":\"obs\",\"timeout_seconds\":1}");
        bearer(403, "GET", "/v1/sandboxes/obs", "");
        bearer(403, "DELETE", "/v1/sandboxes/obs", "");
        bearer(403, "GET", "/sandbox.v1.Sandbox/Exec?sandbox=obs", "");
        assertThat(bearer(200, "GET", "/v1/sandboxes", "").size()).isZero();
        headers.put("x-sandbox-id", "obs");
        bearer(403, "POST", "/sandbox.v1.Sandbox/List", "{\"parent\":\"/\"}");
        bearer(403, "POST", "/sandbox.v1.Sandbox/Remove", "{\"path\":\"/root/x\"}");
        headers.remove("x-sandbox-id");
        assertThat(host.sandboxes().all()).hasSize(1);
        assertThat(owner(200, "GET", "/v1/sandboxes/obs", "").path("status").asString())
                .isEqualTo("running");
    }

    @Test
    void aTokenForSomeSandboxesReachesAndMakesNoOthers() {
        owner(200, "POST", "/v1/fork", "{\"template\":\"default\",\"id\":\"other\"}");
        login(ALL_BUT_ADMIN + ",\"sandboxes\":[\"box\"]");

        bearer(403, "POST", "/v1/fork", "{\"template\":\"default\"}");
        bearer(403, "POST", "/v1/fork", "{\"template\":\"default\",\"id\":\"more\"}");
        bearer(403, "POST", "/v1/fork", "{\"template\":\"other\",\"id\":\"box\"}");
        bearer(200, "POST", "/v1/fork", "{\"template\":\"default\",\"id\":\"box\"}");
        bearer(403, "POST", "/v1/sandboxes/box/fork", "{\"id\":\"more\"}");
        bearer(403, "POST", "/v1/exec", "{\"sandbox\":\"other\",\"command\":\"ls\"}");
        bearer(200, "POST", "/v1/exec", "{\"sandbox\":\"box\",\"command\":\"ls\"}");
        bearer(403, "GET", "/v1/workspaces", "");
        bearer(403, "POST", "/v1/workspaces/w/attach", "{\"sandbox\":\"box\"}");
        headers.put("x-sandbox-id", "other");
        bearer(403, "POST", "/v1/exec", "{\"sandbox\":\"box\",\"command\":\"ls\"}");
        headers.remove("x-sandbox-id");
        assertThat(bearer(200, "GET", "/v1/sandboxes", "")
                        .valueStream()
                        .map(one -> one.path("id").asString()))
                .containsExactly("box");
    }

    @Test
    void adminsAndAGatewayWithoutTokensReachEverything() {
        login("\"scopes\":[\"admin\"]");
        bearer(200, "POST", "/v1/fork", "{\"template\":\"observe\",\"id\":\"a\"}");

        headers.remove("authorization");
        call(guard(true), 200, "POST", "/v1/fork", "{\"template\":\"observe\",\"id\":\"b\"}");
    }

    @Test
    void anOldTokenIsForTheChosenProfileAlone() throws Exception {
        login(ALL_BUT_ADMIN + ",\"profiles\":[\"observe\"],\"sandboxes\":[\"a\"]");
        Path file = home.resolve("server/tokens.json");
        Files.writeString(
                file,
                Files.readString(file)
                        .replaceAll("\"profiles\":\\[[^]]*],?", "")
                        .replaceAll("\"sandboxes\":\\[[^]]*],?", ""));
        parts = parts();

        bearer(403, "POST", "/v1/fork", "{\"template\":\"observe\",\"id\":\"a\"}");
        bearer(200, "POST", "/v1/fork", "{\"template\":\"default\",\"id\":\"b\"}");
    }

    @Test
    void aTokenIsNotMadeForAProfileThatIsNotThere() {
        owner(404, "POST", "/v1/tokens", "{\"scopes\":[\"read\"],\"profiles\":[\"nobody\"]}");
        owner(400, "POST", "/v1/tokens", "{\"scopes\":[\"read\"],\"sandboxes\":[\"../x\"]}");
    }
}
