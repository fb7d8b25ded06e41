package dev.capsem.sandboxserver.templates;

import static dev.capsem.http.Route.BodyKind.JSON;
import static dev.capsem.sandboxserver.protocol.Access.LIFECYCLE;
import static dev.capsem.sandboxserver.protocol.Access.READ;

import dev.capsem.http.HttpAnswer;
import dev.capsem.http.Route;
import dev.capsem.http.RouteCall;
import dev.capsem.profiles.vocabulary.ProfileId;
import dev.capsem.sandboxserver.protocol.ApiProblem;
import dev.capsem.sandboxserver.protocol.Bodies;
import dev.capsem.sandboxserver.protocol.GuardedApi;
import dev.capsem.sandboxserver.protocol.GuardedRoute;
import dev.capsem.sandboxserver.repeat.IdempotencyKeys;
import dev.capsem.service.profiles.Profiles;
import dev.capsem.service.sandboxes.Sandboxes;
import dev.capsem.service.table.Sandbox;
import dev.capsem.wire.json.Json;
import dev.capsem.wire.json.JsonMembers;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.BiPredicate;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/// `/v1/templates`
public final class TemplatesApi implements GuardedApi {
    /// What nothing but the command's own output and answers may leave.
    public static final String CLOSED_PROFILE = "locked-down";

    private final Templates templates;
    private final Profiles profiles;
    private final Sandboxes sandboxes;
    private final IdempotencyKeys keys;
    private final BiPredicate<RouteCall, String> mayFork;
    private final Clock clock;

    /// @param mayFork whether the caller may make a sandbox of what has this id
    public TemplatesApi(
            Templates templates,
            Profiles profiles,
            Sandboxes sandboxes,
            IdempotencyKeys keys,
            BiPredicate<RouteCall, String> mayFork,
            Clock clock) {
        this.mayFork = mayFork;
        this.templates = templates;
        this.profiles = profiles;
        this.sandboxes = sandboxes;
        this.keys = keys;
        this.clock = clock;
    }

    @Override
    public List<GuardedRoute> routes() {
        return List.of(
                READ.to(Route.get("/v1/templates", this::list)
                        .answers(
                                "[{id, kind, ready, created_at, creation_time_ms, network}]",
                                "What can be forked: registered templates, profiles, persistent sandboxes.")),
                LIFECYCLE.to(Route.post("/v1/templates", JSON, this::create)
                        .answers("{id, kind, ready, created_at, creation_time_ms, network}", "Registers a template.")));
    }

    /// Nothing that the caller could not use: the names of others' sandboxes are theirs.
    public HttpAnswer list(RouteCall call) {
        ArrayNode all = Json.array();
        templates.registered().stream()
                .filter(template -> mayFork.test(call, template.id()))
                .forEach(template -> all.add(json("template", template)));
        if (mayFork.test(call, Templates.CHOSEN)) {
            all.add(entry(Templates.CHOSEN, "profile", profiles.chosen().value(), Instant.EPOCH));
        }
        profiles.library().ids().stream()
                .map(ProfileId::value)
                .filter(id -> mayFork.test(call, id))
                .sorted()
                .forEach(id -> all.add(entry(id, "profile", id, Instant.EPOCH)));
        sandboxes.all().stream()
                .filter(Sandbox::persistent)
                .filter(image -> mayFork.test(call, image.id().value()))
                .forEach(image -> all.add(entry(
                        image.id().value(),
                        "image",
                        image.facts().profileId(),
                        image.facts().createdAt())));
        return HttpAnswer.json(all);
    }

    public HttpAnswer create(RouteCall call) {
        return HttpAnswer.json(keys.once(
                "template",
                call.request().headers().first("Idempotency-Key"),
                Json.text(call.json()),
                earlier -> templates.isRegistered(JsonMembers.of(earlier, "").text("id")),
                () -> json("template", templates.register(template(Bodies.of(call))))));
    }

    private SandboxTemplate template(JsonMembers body) {
        String id = Bodies.id(body.text("id"), "id");
        if (body.has("workload")) {
            throw new ApiProblem(
                    ApiProblem.Code.INVALID_INPUT,
                    "a template here holds files, not running programs: workload cannot be kept",
                    "start it in each sandbox with POST /v1/exec");
        }
        Optional<String> image = body.optionalText("image").map(name -> Bodies.id(name, "image"));
        image.ifPresent(this::requireImage);
        Optional<JsonMembers> resources = body.optionalObject("resources");
        return new SandboxTemplate(
                id,
                profile(body),
                image,
                resources.flatMap(fields -> fields.optionalInteger("vcpu_count")),
                resources.flatMap(fields -> fields.optionalInteger("mem_size_mib")),
                clock.instant());
    }

    private void requireImage(String name) {
        boolean isThere = sandboxes.all().stream()
                .anyMatch(
                        sandbox -> sandbox.persistent() && sandbox.id().value().equals(name));
        if (!isThere) {
            throw new ApiProblem(
                            ApiProblem.Code.BUILD_FAILED,
                            "an image is a persistent sandbox, and there is none of this name",
                            "make one: `capsem create NAME`, prepare it, then name it here")
                    .with("step", "image");
        }
    }

    /// Which hosts a sandbox may reach is a profile's matter. What a profile cannot express is refused, not ignored.
    private String profile(JsonMembers body) {
        Optional<JsonMembers> network = body.optionalObject("network");
        boolean isOpened = network.filter(fields ->
                        fields.optionalText("egress").filter("allow"::equals).isPresent()
                                || !fields.texts("allow_domains").isEmpty()
                                || !fields.texts("allow_cidrs").isEmpty()
                                || fields.flag("inbound", false)
                                || !fields.texts("inbound_cidrs").isEmpty())
                .isPresent();
        if (isOpened) {
            throw new ApiProblem(
                    ApiProblem.Code.INVALID_INPUT,
                    "a template cannot open the network",
                    "write a profile with the rules you need and name it as profile; see docs/profiles.md");
        }
        boolean isClosed = network.filter(fields -> fields.flag("block", false)
                        || fields.optionalText("egress").isPresent())
                .isPresent();
        Optional<String> wished = body.optionalText("profile");
        if (isClosed && wished.isPresent() && !wished.get().equals(CLOSED_PROFILE)) {
            throw new ApiProblem(
                    ApiProblem.Code.INVALID_INPUT,
                    "network and profile contradict each other",
                    "name a profile, or close the network, not both");
        }
        String chosen = isClosed ? CLOSED_PROFILE : wished.orElse(Templates.CHOSEN);
        profiles.required(Optional.of(chosen));
        return chosen;
    }

    private static ObjectNode json(String kind, SandboxTemplate template) {
        ObjectNode json = entry(template.id(), kind, template.profile(), template.createdAt());
        template.image().ifPresent(image -> json.put("image", image));
        if (template.cpus().isPresent() || template.ramMb().isPresent()) {
            ObjectNode resources = json.putObject("resources");
            template.cpus().ifPresent(cpus -> resources.put("vcpu_count", cpus));
            template.ramMb().ifPresent(memory -> resources.put("mem_size_mib", memory));
        }
        return json;
    }

    private static ObjectNode entry(String id, String kind, String profile, Instant createdAt) {
        ObjectNode json = Json.object()
                .put("id", id)
                .put("kind", kind)
                .put("ready", true)
                .put("created_at", createdAt.toString())
                .put("creation_time_ms", 0);
        json.set("network", network(profile));
        return json;
    }

    /// Closed but for what the profile's rules allow.
    public static ObjectNode network(String profile) {
        return Json.object().put("egress", "deny").put("profile", profile);
    }
}
