package dev.capsem.sandboxserver.gateway;

import static dev.capsem.http.Route.BodyKind.JSON;

import dev.capsem.http.Api;
import dev.capsem.http.HttpAnswer;
import dev.capsem.http.Route;
import dev.capsem.http.RouteCall;
import dev.capsem.service.problem.ServiceProblem;
import dev.capsem.service.state.StateFile;
import dev.capsem.wire.json.JsonMembers;
import java.io.UncheckedIOException;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.node.ObjectNode;

/// `/gateway` on the Unix socket: turns the gateway on and off, for good.
public final class GatewayApi implements Api {
    private static final Logger LOG = LoggerFactory.getLogger(GatewayApi.class);

    private final StateFile file;
    private final GatewaySwitch gateway;
    private final GatewayEndpoint endpoint;

    public GatewayApi(StateFile file, GatewaySwitch gateway, GatewayEndpoint endpoint) {
        this.file = file;
        this.gateway = gateway;
        this.endpoint = endpoint;
    }

    @Override
    public List<Route> routes() {
        return List.of(
                Route.get("/gateway", this::show)
                        .answers("{enabled, address, port, standalone, hosts, url?}", "How the gateway serves."),
                Route.post("/gateway", JSON, this::change)
                        .answers(
                                "as GET /gateway",
                                "Turns the gateway on or off, now and for later starts of the service."));
    }

    /// As it was left; a port that is taken does not keep the service from starting.
    public void resume() {
        try {
            gateway.set(settings());
        } catch (UncheckedIOException e) {
            LOG.error("the gateway cannot serve: {}", e.getMessage());
        }
    }

    private GatewaySettings settings() {
        return file.read(json -> GatewaySettings.OFF.changedBy(JsonMembers.of(json, "")))
                .orElse(GatewaySettings.OFF);
    }

    public HttpAnswer show(RouteCall call) {
        return HttpAnswer.json(json(settings()));
    }

    public synchronized HttpAnswer change(RouteCall call) {
        GatewaySettings wished;
        try {
            wished = settings().changedBy(JsonMembers.of(call.json(), ""));
        } catch (IllegalArgumentException e) {
            throw new ServiceProblem(
                    ServiceProblem.Code.BAD_LIMIT,
                    String.valueOf(e.getMessage()),
                    "to reach it from elsewhere, put a proxy with TLS, or an SSH tunnel, in front of it",
                    e);
        }
        try {
            gateway.set(wished);
        } catch (UncheckedIOException e) {
            throw new ServiceProblem(
                    ServiceProblem.Code.HOST_PROBLEM,
                    "port " + wished.port() + " cannot be had: " + e.getMessage(),
                    "choose another: `capsem gateway on --port N`",
                    e);
        }
        file.write(wished.toJson());
        return HttpAnswer.json(json(wished));
    }

    private ObjectNode json(GatewaySettings settings) {
        ObjectNode json = settings.toJson();
        endpoint.url().ifPresent(url -> json.put("url", url));
        endpoint.problem().ifPresent(problem -> json.put("problem", problem));
        return json;
    }
}
