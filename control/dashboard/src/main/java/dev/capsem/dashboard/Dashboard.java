package dev.capsem.dashboard;

import static dev.capsem.http.Route.BodyKind.OPTIONAL_JSON;

import dev.capsem.http.Api;
import dev.capsem.http.Front;
import dev.capsem.http.HttpAnswer;
import dev.capsem.http.Request;
import dev.capsem.http.Route;
import dev.capsem.http.RouteCall;
import dev.capsem.service.problem.ServiceProblem;
import dev.capsem.service.state.StateFile;
import dev.capsem.wire.json.Json;
import dev.capsem.wire.json.JsonMembers;
import java.io.IOException;
import java.security.SecureRandom;
import java.time.Clock;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.node.ObjectNode;

/// Turns the dashboard on and off and makes links to it: `/ui` on the Unix socket. It is off until somebody asks for
/// it, and then stays on over restarts of the service, at the same address.
public final class Dashboard implements Api {
    private static final Logger LOG = LoggerFactory.getLogger(Dashboard.class);

    private final StateFile file;
    private final DashboardSwitch port;
    private final Clock clock;
    private final SecureRandom random;
    private final LoginLinks links;
    private final PageFiles files = new PageFiles();
    private volatile Optional<DashboardGuard> guard = Optional.empty();
    private Optional<Front> api = Optional.empty();

    /// @param file keeps its settings, and the key that signs cookies
    public Dashboard(StateFile file, DashboardSwitch port, Clock clock, SecureRandom random) {
        this.file = file;
        this.port = port;
        this.clock = clock;
        this.random = random;
        this.links = new LoginLinks(clock, random);
    }

    @Override
    public List<Route> routes() {
        return List.of(
                Route.get("/ui", this::show).answers("{enabled, url?}", "Where the dashboard serves, if it does."),
                Route.post("/ui", OPTIONAL_JSON, this::open)
                        .answers(
                                "{enabled, url, link}",
                                "Serves the dashboard on loopback, now and for later starts of the service, at {port} or where it was;"
                                        + " {link} logs one browser in. {sign_out: true} signs all others out."),
                Route.delete("/ui", this::close).answers("{enabled}", "Serves it no longer."));
    }

    /// As it was left. A port that is taken does not keep the service from starting.
    ///
    /// @param routes the service's own, which the page uses
    public synchronized void resume(Front routes) {
        api = Optional.of(routes);
        DashboardSettings settings = settings();
        if (!settings.enabled()) {
            return;
        }
        try {
            serve(settings);
        } catch (IOException e) {
            LOG.error("the dashboard cannot serve at {}: {}", settings.url(), e.getMessage());
        }
    }

    private DashboardSettings settings() {
        return file.read(json -> DashboardSettings.of(JsonMembers.of(json, "")))
                .orElseGet(() -> new DashboardSettings(false, 0, SigningKey.random(random)));
    }

    private DashboardSettings serve(DashboardSettings wished) throws IOException {
        Front routes = api.orElseThrow(() -> new IllegalStateException("the service has no routes yet"));
        guard = Optional.empty();
        int served = port.open(wished.port(), this::guarded);
        DashboardSettings settings = wished.on(served);
        guard = Optional.of(new DashboardGuard(settings, routes, files, links, clock, random));
        LOG.info("the dashboard serves at {}", settings.url());
        return settings;
    }

    /// Its port is known only when it is open; until then nobody can know its address.
    private HttpAnswer guarded(Request request) {
        return guard.orElseThrow(HttpAnswer.ClientGoneException::new).handle(request);
    }

    synchronized HttpAnswer show(RouteCall call) {
        DashboardSettings settings = settings();
        ObjectNode json = Json.object().put("enabled", guard.isPresent());
        guard.ifPresent(_ -> json.put("url", settings.url()));
        return HttpAnswer.json(json);
    }

    synchronized HttpAnswer open(RouteCall call) {
        JsonMembers body = JsonMembers.of(call.json(), "");
        DashboardSettings before = settings();
        boolean isNewKey = body.flag("sign_out", false);
        int wishedPort = body.integer("port", before.port());
        DashboardSettings wished;
        try {
            wished = new DashboardSettings(true, wishedPort, isNewKey ? SigningKey.random(random) : before.key());
        } catch (IllegalArgumentException e) {
            throw new ServiceProblem(
                    ServiceProblem.Code.BAD_LIMIT, String.valueOf(e.getMessage()), "choose one: --port N", e);
        }
        boolean isThere = guard.isPresent() && !isNewKey && wishedPort == before.port();
        DashboardSettings settings = isThere ? before : opened(wished);
        return HttpAnswer.json(Json.object()
                .put("enabled", true)
                .put("url", settings.url())
                .put("link", settings.url() + "/login?token=" + links.make()));
    }

    private DashboardSettings opened(DashboardSettings wished) {
        try {
            DashboardSettings settings = serve(wished);
            file.write(settings.toJson());
            return settings;
        } catch (IOException e) {
            throw new ServiceProblem(
                    ServiceProblem.Code.HOST_PROBLEM,
                    "port " + wished.port() + " cannot be had: " + e.getMessage(),
                    "choose another: `capsem ui --port N`",
                    e);
        }
    }

    synchronized HttpAnswer close(RouteCall call) {
        guard = Optional.empty();
        port.close();
        file.write(settings().off().toJson());
        return HttpAnswer.json(Json.object().put("enabled", false));
    }
}
