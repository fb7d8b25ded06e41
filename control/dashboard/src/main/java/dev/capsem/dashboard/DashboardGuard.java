package dev.capsem.dashboard;

import dev.capsem.http.Front;
import dev.capsem.http.HttpAnswer;
import dev.capsem.http.Request;
import dev.capsem.wire.json.Json;
import dev.capsem.wire.service.ServiceError;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// Decides on every request that comes to the dashboard's port, before its body is read.
///
/// A request must name our host (no DNS rebinding), come from no page but ours, and carry the cookie of a browser that
/// used a link of `capsem ui`. One that may change something also carries the page's token against forged requests.
public final class DashboardGuard implements Front {
    private static final int FORBIDDEN = 403;
    private static final int UNAUTHORIZED = 401;
    private static final int NOT_FOUND = 404;
    private static final int SEE_OTHER = 303;
    private static final String API = "/api";
    private static final Set<String> READING = Set.of("GET", "HEAD");
    /// Of the page itself: typed, or a link from a page of ours.
    private static final Set<String> OWN_SITES = Set.of("same-origin", "none");

    /// Nothing is loaded from elsewhere, no script stands in the page, and nobody may put the page into a frame.
    static final String POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self';"
            + " connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

    private static final Map<String, String> HEADERS = Map.of(
            "Content-Security-Policy", POLICY,
            "X-Content-Type-Options", "nosniff",
            "Referrer-Policy", "no-referrer",
            "Cross-Origin-Opener-Policy", "same-origin",
            "Cross-Origin-Resource-Policy", "same-origin",
            "Cache-Control", "no-store");

    private final DashboardSettings settings;
    private final Front api;
    private final PageFiles files;
    private final LoginLinks links;
    private final LoginCookie cookies;
    private final SecureRandom random;

    /// @param api the service's own routes
    DashboardGuard(
            DashboardSettings settings,
            Front api,
            PageFiles files,
            LoginLinks links,
            Clock clock,
            SecureRandom random) {
        this.settings = settings;
        this.api = api;
        this.files = files;
        this.links = links;
        this.cookies = new LoginCookie(settings.key(), clock);
        this.random = random;
    }

    @Override
    public HttpAnswer handle(Request request) {
        return new HttpAnswer.WithHeaders(answer(request), HEADERS);
    }

    private HttpAnswer answer(Request request) {
        String own = settings.host() + ":" + settings.port();
        if (!request.headers().first("Host").orElse("").equals(own)) {
            return refuse(FORBIDDEN, "wrong_host", "the dashboard does not go by the name in the Host header");
        }
        boolean isReading = READING.contains(request.method());
        if (!isFromOurPage(request, own, isReading)) {
            return refuse(FORBIDDEN, "wrong_origin", "pages of another origin may not use the dashboard");
        }
        if (request.path().equals("/login") && isReading) {
            return login(request);
        }
        Optional<String> cookie = cookies.in(request.headers().first("Cookie").orElse(""));
        if (cookie.isEmpty()) {
            return request.path().startsWith(API + "/")
                    ? refuse(UNAUTHORIZED, "not_logged_in", "this browser is not logged in")
                    : page(UNAUTHORIZED, "Not logged in", "Type capsem ui in a terminal and open the link it prints.");
        }
        boolean isForged = !isReading
                && !cookies.isCsrf(
                        cookie.get(), request.headers().first("X-Capsem-Csrf").orElse(""));
        if (isForged) {
            return refuse(FORBIDDEN, "wrong_csrf", "the page's token against forged requests is missing or wrong");
        }
        return inside(request, cookie.get());
    }

    /// Browsers name the page that asks, but for typed addresses. A WebSocket is opened by GET and needs an Origin.
    private static boolean isFromOurPage(Request request, String own, boolean isReading) {
        Optional<String> origin = request.headers().first("Origin");
        boolean isWebSocket = request.headers().first("Upgrade").isPresent();
        boolean isOwn = origin.map(("http://" + own)::equals).orElse(isReading && !isWebSocket);
        return isOwn
                && request.headers()
                        .first("Sec-Fetch-Site")
                        .map(OWN_SITES::contains)
                        .orElse(true);
    }

    private HttpAnswer login(Request request) {
        List<String> tokens = request.query().getOrDefault("token", List.of());
        if (tokens.size() != 1 || !links.use(tokens.getFirst())) {
            return page(
                    UNAUTHORIZED,
                    "This link is over",
                    "A link is good once, for five minutes. Type capsem ui in a terminal for a new one.");
        }
        String cookie = LoginCookie.NAME + "=" + cookies.make(random) + "; Path=/; HttpOnly; SameSite=Strict; Max-Age="
                + LoginCookie.GOOD_FOR.toSeconds();
        return new HttpAnswer.WithHeaders(
                new HttpAnswer.Page(SEE_OTHER, "text/plain", new byte[0]),
                Map.of("Location", "/", "Set-Cookie", cookie));
    }

    private HttpAnswer inside(Request request, String cookie) {
        if (request.path().equals("/csrf") && request.method().equals("GET")) {
            return HttpAnswer.json(Json.object().put("token", cookies.csrf(cookie)));
        }
        if (request.path().startsWith(API + "/")) {
            Request asked = new Request(
                    request.method(),
                    request.path().substring(API.length()),
                    request.query(),
                    request.contentType(),
                    request.accept(),
                    request.headers(),
                    request.body(),
                    request.caller());
            return PageRoutes.mayUse(asked)
                    ? api.handle(asked)
                    : refuse(FORBIDDEN, "not_for_the_page", "the dashboard does not offer this route");
        }
        return files.find(request.path())
                .filter(_ -> request.method().equals("GET"))
                .orElseGet(() -> page(NOT_FOUND, "Not found", "There is no such page."));
    }

    private static HttpAnswer refuse(int status, String code, String message) {
        byte[] body =
                Json.bytes(new ServiceError(message, code, "type `capsem ui` and open the link it prints").toJson());
        return new HttpAnswer.Page(status, "application/json", body);
    }

    private static HttpAnswer page(int status, String title, String text) {
        String html = "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Capsem</title>"
                + "<link rel=\"stylesheet\" href=\"/style.css\"><main><h1>" + title + "</h1><p>" + text + "</p></main>";
        return new HttpAnswer.Page(status, "text/html; charset=utf-8", html.getBytes(StandardCharsets.UTF_8));
    }
}
