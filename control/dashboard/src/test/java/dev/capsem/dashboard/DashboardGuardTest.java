package dev.capsem.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.http.Front;
import dev.capsem.http.HttpAnswer;
import dev.capsem.http.Request;
import dev.capsem.wire.json.Json;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DashboardGuardTest {
    private static final int PORT = 4711;

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
    private final SecureRandom random = new SecureRandom();
    private final SigningKey key = SigningKey.random(random);
    private final DashboardSettings settings = new DashboardSettings(true, PORT, key);
    private final LoginLinks links = new LoginLinks(clock, random);
    private final List<String> reached = new ArrayList<>();
    private final Front api = request -> {
        reached.add(request.method() + " " + request.path());
        return HttpAnswer.json(Json.object().put("reached", true));
    };
    private final DashboardGuard guard = new DashboardGuard(settings, api, new PageFiles(), links, clock, random);
    private final Map<String, String> headers = new HashMap<>();

    @BeforeEach
    void ourName() {
        headers.put("host", settings.host() + ":" + PORT);
    }

    private Answer ask(String method, String path, Map<String, List<String>> query) {
        HttpAnswer answer = guard.handle(new Request(
                method,
                path,
                query,
                Optional.empty(),
                Optional.empty(),
                name -> Optional.ofNullable(headers.get(name.toLowerCase(Locale.ROOT))),
                _ -> new byte[0],
                () -> {}));
        Map<String, String> given = new HashMap<>();
        while (answer instanceof HttpAnswer.WithHeaders(HttpAnswer inner, Map<String, String> more)) {
            given.putAll(more);
            answer = inner;
        }
        String body = answer instanceof HttpAnswer.Page page ? new String(page.bytes(), StandardCharsets.UTF_8) : "";
        return new Answer(answer.status(), given, body);
    }

    private Answer ask(String method, String path) {
        return ask(method, path, Map.of());
    }

    private record Answer(int status, Map<String, String> headers, String body) {}

    /// Returns the cookie, as a browser would send it.
    private String logIn() {
        Answer answer = ask("GET", "/login", Map.of("token", List.of(links.make())));
        assertThat(answer.status()).isEqualTo(303);
        String set = answer.headers().getOrDefault("Set-Cookie", "");
        String cookie = set.substring(0, set.indexOf(';'));
        headers.put("cookie", cookie);
        return cookie;
    }

    private String csrf() {
        String cookie = headers.getOrDefault("cookie", "");
        return new LoginCookie(key, clock).csrf(cookie.substring(cookie.indexOf('=') + 1));
    }

    @Test
    void aLinkLogsInOnce() {
        String token = links.make();

        assertThat(ask("GET", "/login", Map.of("token", List.of(token))).status())
                .isEqualTo(303);
        assertThat(ask("GET", "/login", Map.of("token", List.of(token))).status())
                .isEqualTo(401);
        assertThat(ask("GET", "/login").status()).isEqualTo(401);
        assertThat(ask("GET", "/login", Map.of("token", List.of(""))).status()).isEqualTo(401);
    }

    @Test
    void aLinkIsOverAfterFiveMinutes() {
        String token = links.make();
        now = now.plus(LoginLinks.GOOD_FOR);

        assertThat(ask("GET", "/login", Map.of("token", List.of(token))).status())
                .isEqualTo(401);
    }

    @Test
    void theCookieIsForNoScriptAndNoOtherSite() {
        Answer answer = ask("GET", "/login", Map.of("token", List.of(links.make())));

        assertThat(answer.headers().get("Set-Cookie"))
                .startsWith("capsem_ui=")
                .contains("; HttpOnly")
                .contains("; SameSite=Strict")
                .doesNotContain("Domain");
    }

    @Test
    void withoutACookieNothingIsServed() {
        for (String path : List.of("/", "/app.js", "/csrf", "/api/list", "/api/confirm/pending")) {
            assertThat(ask("GET", path).status()).as(path).isEqualTo(401);
        }
        assertThat(reached).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "capsem_ui=",
                "capsem_ui=1.2.3",
                "capsem_ui=99999999999.x.AAAA",
                "capsem_ui=99999999999999999999.x.AAAA",
                "other=1",
                "capsem_ui=a.b",
            })
    void aForgedCookieIsNone(String cookie) {
        headers.put("cookie", cookie);

        assertThat(ask("GET", "/api/list").status()).isEqualTo(401);
        assertThat(reached).isEmpty();
    }

    @Test
    void aCookieOfAnotherKeyIsNone() {
        headers.put("cookie", "capsem_ui=" + new LoginCookie(SigningKey.random(random), clock).make(random));

        assertThat(ask("GET", "/api/list").status()).isEqualTo(401);
    }

    @Test
    void aCookieCannotBeMadeToLastLonger() {
        String cookie = logIn();
        String value = cookie.substring(cookie.indexOf('=') + 1);
        int dot = value.indexOf('.');
        headers.put("cookie", "capsem_ui=" + (Long.parseLong(value.substring(0, dot)) + 1) + value.substring(dot));

        assertThat(ask("GET", "/api/list").status()).isEqualTo(401);
    }

    @Test
    void aCookieEndsAndOutlivesARestart() {
        logIn();
        var afterRestart =
                new DashboardGuard(settings, api, new PageFiles(), new LoginLinks(clock, random), clock, random);

        assertThat(ask("GET", "/api/list").status()).isEqualTo(200);
        assertThat(afterRestart
                        .handle(new Request(
                                "GET",
                                "/api/list",
                                Map.of(),
                                Optional.empty(),
                                Optional.empty(),
                                name -> Optional.ofNullable(headers.get(name.toLowerCase(Locale.ROOT))),
                                _ -> new byte[0],
                                () -> {}))
                        .status())
                .isEqualTo(200);
        now = now.plus(LoginCookie.GOOD_FOR);
        assertThat(ask("GET", "/api/list").status()).isEqualTo(401);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "127.0.0.1:4711",
                "localhost:4711",
                "evil.example:4711",
                "capsem-0000000000.localhost:4711",
                "",
            })
    void anotherNameIsRefused(String host) {
        logIn();
        headers.put("host", host);

        assertThat(ask("GET", "/api/list").status()).isEqualTo(403);
        assertThat(ask("GET", "/login", Map.of("token", List.of(links.make()))).status())
                .isEqualTo(403);
        assertThat(reached).isEmpty();
    }

    @Test
    void ourNameAtAnotherPortIsRefused() {
        logIn();
        headers.put("host", settings.host() + ":80");

        assertThat(ask("GET", "/api/list").status()).isEqualTo(403);
    }

    @ParameterizedTest
    @ValueSource(strings = {"http://evil.example", "null", "http://127.0.0.1:4711", "https://x.localhost:4711"})
    void pagesOfAnotherOriginAreRefused(String origin) {
        logIn();
        headers.put("origin", origin);
        headers.put("x-capsem-csrf", csrf());

        assertThat(ask("GET", "/api/list").status()).isEqualTo(403);
        assertThat(ask("POST", "/api/stop/x").status()).isEqualTo(403);
        assertThat(reached).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"cross-site", "same-site"})
    void requestsThatTheBrowserCallsForeignAreRefused(String site) {
        logIn();
        headers.put("sec-fetch-site", site);

        assertThat(ask("GET", "/api/list").status()).isEqualTo(403);
        assertThat(reached).isEmpty();
    }

    @Test
    void aChangeNeedsOriginAndToken() {
        logIn();
        String own = "http://" + settings.host() + ":" + PORT;

        assertThat(ask("POST", "/api/stop/x").status()).as("no origin").isEqualTo(403);
        headers.put("origin", own);
        assertThat(ask("POST", "/api/stop/x").status()).as("no token").isEqualTo(403);
        headers.put("x-capsem-csrf", "wrong");
        assertThat(ask("DELETE", "/api/delete/x").status()).as("wrong token").isEqualTo(403);
        assertThat(reached).isEmpty();

        headers.put("x-capsem-csrf", csrf());
        assertThat(ask("POST", "/api/stop/x").status()).isEqualTo(200);
        assertThat(reached).containsExactly("POST /stop/x");
    }

    @Test
    void aWebSocketNeedsAnOrigin() {
        logIn();
        headers.put("upgrade", "websocket");

        assertThat(ask("GET", "/api/exec/x/pty").status()).isEqualTo(403);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "POST /api/shutdown",
                "GET /api/secrets",
                "PUT /api/secrets/x",
                "POST /api/grants",
                "POST /api/ui",
                "DELETE /api/ui",
                "POST /api/gateway",
                "POST /api/exec/lab",
                "POST /api/run",
                "POST /api/enforcement",
                "POST /api/mcp/connectors",
                "GET /api/files/lab/content",
                "GET /api/service-logs",
            })
    void otherRoutesAreNotForThePage(String line) {
        logIn();
        headers.put("origin", "http://" + settings.host() + ":" + PORT);
        headers.put("x-capsem-csrf", csrf());
        String[] words = line.split(" ", 2);

        Answer answer = ask(words[0], words[1]);

        assertThat(answer.status()).isEqualTo(403);
        assertThat(answer.body()).contains("not_for_the_page");
        assertThat(reached).isEmpty();
    }

    @Test
    void everyAnswerHasThePolicy() {
        logIn();
        for (String path : List.of("/", "/app.js", "/nothing", "/api/list")) {
            assertThat(ask("GET", path).headers())
                    .as(path)
                    .containsEntry("Content-Security-Policy", DashboardGuard.POLICY)
                    .containsEntry("X-Content-Type-Options", "nosniff")
                    .containsEntry("Cache-Control", "no-store");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"/../app.js", "/page/app.js", "/app.js/", "/%2e%2e/app.js", "//app.js"})
    void onlyFilesOfThePageAreServed(String path) {
        logIn();

        assertThat(ask("GET", path).status()).isEqualTo(404);
    }

    @Test
    void thePageAsksForNothingElsewhere() {
        logIn();
        for (String path : List.of("/", "/app.js", "/api.js", "/dom.js", "/style.css")) {
            assertThat(ask("GET", path).body()).as(path).isNotEmpty().doesNotContain("https://");
        }
        assertThat(ask("GET", "/dom.js").body()).doesNotContain("innerHTML");
    }
}
