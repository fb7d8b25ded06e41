package dev.capsem.sandboxserver.sandboxes;

import static dev.capsem.http.Route.BodyKind.JSON;
import static dev.capsem.sandboxserver.protocol.Access.LIFECYCLE;
import static dev.capsem.sandboxserver.protocol.Access.OPEN;
import static dev.capsem.sandboxserver.protocol.Access.READ;

import dev.capsem.http.HttpAnswer;
import dev.capsem.http.Route;
import dev.capsem.http.RouteCall;
import dev.capsem.sandboxserver.protocol.ApiProblem;
import dev.capsem.sandboxserver.protocol.Bodies;
import dev.capsem.sandboxserver.protocol.GuardedApi;
import dev.capsem.sandboxserver.protocol.GuardedRoute;
import dev.capsem.sandboxserver.reach.Reach;
import dev.capsem.sandboxserver.repeat.IdempotencyKeys;
import dev.capsem.sandboxserver.templates.Templates;
import dev.capsem.sandboxserver.templates.TemplatesApi;
import dev.capsem.sandboxserver.workspaces.Workspaces;
import dev.capsem.service.sandboxes.Sandboxes;
import dev.capsem.service.table.Sandbox;
import dev.capsem.wire.json.Json;
import dev.capsem.wire.json.JsonMembers;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Supplier;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/// `/v1/fork`, `/v1/sandboxes`, `/v1/pause`, `/v1/resume`, `/v1/set_timeout` and `/v1/health`
public final class SandboxesApi implements GuardedApi {
    static final int LIFE_SECONDS_MAX = 30 * 86_400;

    private final Sandboxes sandboxes;
    private final Templates templates;
    private final Reach reach;
    private final Leases leases;
    private final IdempotencyKeys keys;
    private final Workspaces workspaces;
    private final Supplier<String> endpoint;
    private final Clock clock;

    /// @param endpoint where clients find this server now; empty when only on its Unix socket
    public SandboxesApi(
            Sandboxes sandboxes,
            Templates templates,
            Reach reach,
            Leases leases,
            IdempotencyKeys keys,
            Workspaces workspaces,
            Supplier<String> endpoint,
            Clock clock) {
        this.sandboxes = sandboxes;
        this.templates = templates;
        this.reach = reach;
        this.leases = leases;
        this.keys = keys;
        this.workspaces = workspaces;
        this.endpoint = endpoint;
        this.clock = clock;
    }

    @Override
    public List<GuardedRoute> routes() {
        return List.of(
                OPEN.to(Route.get("/v1/health", this::health)
                        .answers("{status, mock, templates, sandboxes}", "Is it there?")),
                LIFECYCLE.to(
                        Route.post("/v1/fork", JSON, this::fork)
                                .answers(
                                        "{id, template_id, endpoint, created_at, status, persistent, network, fork_time_ms}",
                                        "Creates a sandbox from a template, a profile, an image or another sandbox, and starts it.")),
                LIFECYCLE
                        .to(Route.post("/v1/sandboxes/{id}/fork", JSON, this::forkLive)
                                .answers(
                                        "as /v1/fork",
                                        "Copies a sandbox, which stands still meanwhile, and starts the copy."))
                        .aboutSandbox(),
                READ.to(Route.get("/v1/sandboxes", this::list)
                        .answers(
                                "[{id, template_id, endpoint, created_at, status, persistent, deadline_unix?, network}]",
                                "All sandboxes.")),
                READ.to(Route.get("/v1/sandboxes/{id}", this::one).answers("one of these", "One sandbox."))
                        .aboutSandbox(),
                LIFECYCLE
                        .to(Route.delete("/v1/sandboxes/{id}", this::delete)
                                .answers(
                                        "{status: \"terminated\", id, workspaces?}",
                                        "Ends it and removes all of it; attached workspaces are saved first."))
                        .aboutSandbox(),
                LIFECYCLE
                        .to(Route.post("/v1/pause", JSON, this::pause)
                                .answers("{status: \"paused\"}", "Freezes it in place."))
                        .aboutSandbox(),
                LIFECYCLE
                        .to(Route.post("/v1/resume", JSON, this::resume)
                                .answers("{status: \"running\"}", "Lets it go on."))
                        .aboutSandbox(),
                LIFECYCLE
                        .to(Route.post("/v1/set_timeout", JSON, this::setTimeout)
                                .answers(
                                        "{status, deadline_unix, timeout_seconds}",
                                        "Ends it after so many seconds from now; replaces an earlier deadline."))
                        .aboutSandbox());
    }

    public HttpAnswer health(RouteCall call) {
        return HttpAnswer.json(Json.object()
                .put("status", "ok")
                .put("mock", false)
                .put("templates", templates.registered().size())
                .put("sandboxes", sandboxes.all().size()));
    }

    public HttpAnswer fork(RouteCall call) {
        JsonMembers body = Bodies.of(call);
        return fork(call, Bodies.id(body.text("template"), "template"), body);
    }

    public HttpAnswer forkLive(RouteCall call) {
        String source = inPath(call).id().value();
        return fork(call, source, Bodies.of(call));
    }

    private HttpAnswer fork(RouteCall call, String source, JsonMembers body) {
        Optional<String> id = body.optionalText("id").map(text -> Bodies.id(text, "id"));
        return HttpAnswer.json(keys.once(
                "fork",
                call.request().headers().first("Idempotency-Key"),
                call.request().path() + Json.text(call.json()),
                this::isThere,
                () -> forked(source, id)));
    }

    private boolean isThere(JsonNode answer) {
        String id = JsonMembers.of(answer, "").text("id");
        return sandboxes.all().stream().anyMatch(one -> one.id().value().equals(id));
    }

    private ObjectNode forked(String source, Optional<String> id) {
        Instant from = clock.instant();
        Sandbox made = templates.fork(source, id).sandbox();
        if (!template(made).equals(source)) {
            leases.cameFrom(made.id().value(), source);
        }
        return json(made)
                .put("fork_time_ms", Duration.between(from, clock.instant()).toMillis());
    }

    private String template(Sandbox sandbox) {
        return leases.template(sandbox.id().value())
                .or(() -> sandbox.facts().forkedFrom())
                .orElse(sandbox.facts().profileId());
    }

    private ObjectNode json(Sandbox sandbox) {
        String id = sandbox.id().value();
        ObjectNode json = Json.object()
                .put("id", id)
                .put("template_id", template(sandbox))
                .put("endpoint", endpoint.get())
                .put("created_at", sandbox.facts().createdAt().toString())
                .put("status", sandbox.status().wireName().toLowerCase(Locale.ROOT))
                .put("persistent", sandbox.persistent());
        leases.deadline(id).ifPresent(deadline -> json.put("deadline_unix", deadline.getEpochSecond()));
        json.set("network", TemplatesApi.network(sandbox.facts().profileId()));
        return json;
    }

    public HttpAnswer list(RouteCall call) {
        ArrayNode all = Json.array();
        sandboxes.all().stream()
                .filter(sandbox -> reach.isFor(call, sandbox))
                .forEach(sandbox -> all.add(json(sandbox)));
        return HttpAnswer.json(all);
    }

    public HttpAnswer one(RouteCall call) {
        return HttpAnswer.json(json(inPath(call)));
    }

    public HttpAnswer delete(RouteCall call) {
        String id = inPath(call).id().value();
        List<Workspaces.Saved> saved = workspaces.saveAll(id);
        sandboxes.delete(id);
        ObjectNode json = Json.object().put("status", "terminated").put("id", id);
        if (!saved.isEmpty()) {
            ArrayNode all = json.putArray("workspaces");
            saved.forEach(one -> all.add(json(one)));
        }
        return HttpAnswer.json(json);
    }

    /// What could not be saved does not keep a sandbox alive, but its client is told.
    private static ObjectNode json(Workspaces.Saved saved) {
        ObjectNode json = Json.object().put("name", saved.name());
        saved.revision()
                .ifPresentOrElse(revision -> json.put("revision", revision), () -> json.put("error", saved.problem()));
        return json;
    }

    public HttpAnswer pause(RouteCall call) {
        sandboxes.pause(named(call));
        return HttpAnswer.json(Json.object().put("status", "paused"));
    }

    public HttpAnswer resume(RouteCall call) {
        sandboxes.resume(named(call));
        return HttpAnswer.json(Json.object().put("status", "running"));
    }

    public HttpAnswer setTimeout(RouteCall call) {
        String id = named(call);
        long seconds = Bodies.of(call).number("timeout_seconds");
        if (seconds <= 0) {
            throw new ApiProblem(
                    ApiProblem.Code.INVALID_INPUT,
                    "timeout_seconds must be more than 0",
                    "say for how many seconds the sandbox may live on from now");
        }
        if (seconds > LIFE_SECONDS_MAX) {
            throw new ApiProblem(
                            ApiProblem.Code.TIMEOUT_TOO_LARGE,
                            "a deadline is at most " + LIFE_SECONDS_MAX + " seconds away",
                            "ask for less, and again later; without a deadline a sandbox lives until it is ended")
                    .with("requested_s", seconds)
                    .with("max_timeout_s", LIFE_SECONDS_MAX);
        }
        Instant deadline = leases.endAfter(id, Duration.ofSeconds(seconds));
        return HttpAnswer.json(Json.object()
                .put("status", "ok")
                .put("deadline_unix", deadline.getEpochSecond())
                .put("timeout_seconds", seconds));
    }

    private String named(RouteCall call) {
        return sandboxes.find(Bodies.sandbox(Bodies.of(call))).id().value();
    }

    private Sandbox inPath(RouteCall call) {
        return sandboxes.find(Bodies.id(call.variable("id"), "sandbox"));
    }
}
