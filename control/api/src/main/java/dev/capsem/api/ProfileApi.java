package dev.capsem.api;

import static dev.capsem.http.Route.BodyKind.JSON;

import dev.capsem.http.Api;
import dev.capsem.http.HttpAnswer;
import dev.capsem.http.HttpProblem;
import dev.capsem.http.Route;
import dev.capsem.http.RouteCall;
import dev.capsem.profiles.Connectors;
import dev.capsem.profiles.EffectiveJson;
import dev.capsem.profiles.EffectiveProfile;
import dev.capsem.profiles.ProfileDiff;
import dev.capsem.profiles.ProfileLibrary;
import dev.capsem.profiles.ProfileResolution;
import dev.capsem.profiles.io.ProfileException;
import dev.capsem.profiles.io.UserProfiles;
import dev.capsem.profiles.vocabulary.ProfileId;
import dev.capsem.profiles.vocabulary.Section;
import dev.capsem.service.problem.ServiceProblem;
import dev.capsem.service.profiles.InForce;
import dev.capsem.service.profiles.ProfileJson;
import dev.capsem.service.profiles.Profiles;
import dev.capsem.service.reload.Reloads;
import dev.capsem.service.rules.RuleQuestions;
import dev.capsem.source.Layer;
import dev.capsem.source.Problem;
import dev.capsem.source.SourceText;
import dev.capsem.wire.json.Json;
import dev.capsem.wire.json.JsonMembers;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/// Routes about profiles and the MCP servers in them.
public final class ProfileApi implements Api {
    private final Profiles profiles;
    private final UserProfiles users;
    private final RuleQuestions questions;
    private final Reloads reloads;

    public ProfileApi(Profiles profiles, RuleQuestions questions, Reloads reloads) {
        this.profiles = profiles;
        this.users = new UserProfiles(profiles.folders());
        this.questions = questions;
        this.reloads = reloads;
    }

    @Override
    public List<Route> routes() {
        return List.of(
                Route.get("/profiles", this::list).answers("{chosen, profiles: […]}", "All profiles."),
                Route.post("/profiles/use", JSON, this::use)
                        .answers("{chosen}", "Chooses the profile of sandboxes that name none."),
                Route.post("/profiles/validate", JSON, this::validate)
                        .answers("{ok, problems, warnings}", "What would come of {name, text, lists}; keeps nothing."),
                Route.post("/profiles/keep", JSON, this::keep)
                        .answers(
                                "{profile_id, changed}",
                                "Keeps {id, text} as the head of a profile of the user; what is behind it stays."),
                Route.get("/profiles/diff", this::diff)
                        .answers("{from, to, changes, text}", "What differs between ?from= and ?to=."),
                Route.get("/profiles/{id}", this::show)
                        .answers("a profile", "One profile; ?effective=true: every entry, and whose it is."),
                Route.get("/mcp/connectors", this::connectors)
                        .answers(
                                "{mode, profile_id, servers: […]}",
                                "The MCP servers of ?profile=; tokens appear as references."),
                Route.post("/mcp/connectors", JSON, this::addConnector)
                        .answers("a server", "Adds a server to a profile of the user."),
                Route.delete("/mcp/connectors/{id}", this::removeConnector)
                        .answers("{mode, profile_id, server_id, removed}", "Removes one."));
    }

    HttpAnswer list(RouteCall call) {
        ProfileLibrary library = profiles.library();
        ObjectNode json = Json.object().put("chosen", library.chosen().value());
        ArrayNode all = json.putArray("profiles");
        library.list().forEach(summary -> all.add(row(summary)));
        return HttpAnswer.json(json);
    }

    private ObjectNode row(ProfileLibrary.Summary summary) {
        Profiles.Judged judged = profiles.judge(summary.id());
        ObjectNode json = Json.object()
                .put("id", summary.id().value())
                .put("name", summary.name())
                .put("description", summary.description())
                .put("source", source(summary.layers()));
        List<Problem> problems = new ArrayList<>();
        switch (judged) {
            case Profiles.Judged.Usable usable -> {
                json.put("revision", usable.inForce().revision())
                        .put("editable", isEditable(usable.inForce().profile()));
                problems.addAll(usable.inForce().problems());
            }
            case Profiles.Judged.Unusable unusable -> {
                json.put("revision", "").put("editable", true);
                problems.addAll(unusable.problems());
            }
            case Profiles.Judged.Unknown _ -> json.put("revision", "").put("editable", false);
        }
        json.set("problems", ProfileJson.problems(problems));
        return json;
    }

    private static String source(Set<Layer> layers) {
        return layers.contains(Layer.USER) ? Layer.USER.wireName() : Layer.BUILT_IN.wireName();
    }

    private static boolean isEditable(EffectiveProfile profile) {
        for (Section section : Section.values()) {
            if (profile.isEditable(section)) {
                return true;
            }
        }
        return false;
    }

    HttpAnswer show(RouteCall call) {
        InForce inForce = profiles.required(Optional.of(call.variable("id")));
        ObjectNode effective = ProfileJson.object(EffectiveJson.json(inForce.profile()));
        if (call.query("effective").filter("true"::equals).isEmpty()) {
            ObjectNode own = Json.object();
            for (String name : List.of("profile_id", "name", "revision", "layers", "warnings", "editable")) {
                own.set(name, effective.path(name));
            }
            ArrayNode files = own.putArray("sources");
            sources(inForce.profile().id())
                    .forEach(source -> files.addObject()
                            .put("source", source.layer().wireName())
                            .put("file", source.file())
                            .put("text", source.text()));
            return HttpAnswer.json(own);
        }
        effective.set("problems", ProfileJson.problems(inForce.problems()));
        return HttpAnswer.json(effective);
    }

    private List<SourceText> sources(ProfileId id) {
        List<SourceText> sources = new ArrayList<>();
        Optional.ofNullable(profiles.library().builtIn().get(id)).ifPresent(profile -> sources.add(profile.source()));
        if (profiles.library().user().get(id) instanceof dev.capsem.profiles.file.Reading.Valid valid) {
            sources.add(valid.profile().source());
        }
        return sources;
    }

    HttpAnswer use(RouteCall call) {
        String wished = JsonMembers.of(call.json(), "").text("id");
        ProfileId id = profiles.required(Optional.of(wished)).profile().id();
        changed(() -> users.choose(id));
        reloads.all();
        return HttpAnswer.json(Json.object().put("chosen", profiles.chosen().value()));
    }

    HttpAnswer keep(RouteCall call) {
        JsonMembers body = JsonMembers.of(call.json(), "");
        String wished = body.text("id");
        if (!ProfileId.isValid(wished) || profiles.library().builtIn().containsKey(new ProfileId(wished))) {
            throw new ServiceProblem(
                    ServiceProblem.Code.BAD_PROFILE,
                    "that is no name for a profile of yours",
                    "a profile's id has " + ProfileId.FORM + ", and no built-in profile has it");
        }
        var id = new ProfileId(wished);
        boolean isNew;
        try {
            isNew = users.keep(id, body.text("text"));
        } catch (ProfileException e) {
            throw new ServiceProblem(
                    ServiceProblem.Code.BAD_PROFILE,
                    String.valueOf(e.getMessage()),
                    "see it with `capsem profiles validate`, or rename the file in ~/.capsem/profiles",
                    e);
        }
        if (isNew) {
            reloads.all();
        }
        profiles.required(Optional.of(wished));
        return HttpAnswer.json(Json.object().put("profile_id", wished).put("changed", isNew));
    }

    private static void changed(Runnable change) {
        try {
            change.run();
        } catch (ProfileException e) {
            throw unwritable(e);
        }
    }

    private static ServiceProblem unwritable(ProfileException e) {
        return new ServiceProblem(
                ServiceProblem.Code.OPERATION_FAILED,
                String.valueOf(e.getMessage()),
                "see the message; is the disk full?",
                e);
    }

    HttpAnswer validate(RouteCall call) {
        JsonMembers body = JsonMembers.of(call.json(), "");
        String name = body.text("name");
        String text = body.text("text");
        boolean isCorp = text.lines().anyMatch(line -> line.matches("\\s*revision\\s*=.*"))
                && text.lines()
                        .anyMatch(line -> line.matches("\\s*(\\[\\[directives]]|applies_to.*|allowed_profiles.*)"));
        ProfileLibrary.Validation validation = profiles.library()
                .validate(new SourceText(name, isCorp ? Layer.CORP : Layer.USER, text, RuleQuestions.lists(body)));
        List<Problem> all = new ArrayList<>(validation.problems());
        ArrayNode problems = Json.array();
        ArrayNode warnings = Json.array();
        validation.resolutions().forEach(resolution -> {
            switch (resolution) {
                case ProfileResolution.Refused refused -> all.addAll(refused.problems());
                case ProfileResolution.Resolved resolved ->
                    all.addAll(resolved.profile().notices());
                case ProfileResolution.Unknown _ -> {}
            }
        });
        all.stream()
                .distinct()
                .forEach(problem -> (problem.isError() ? problems : warnings).add(ProfileJson.problem(problem)));
        // A corp payload's priorities are its own; its rules are compiled when it is in force.
        if (!isCorp) {
            ObjectNode rules = questions.check(body);
            rules.path("problems").forEach(problem -> addOnce(problems, problem));
            rules.path("warnings").forEach(warnings::add);
        }
        ObjectNode json = Json.object().put("ok", problems.isEmpty());
        json.set("problems", problems);
        json.set("warnings", warnings);
        return HttpAnswer.json(json);
    }

    private static void addOnce(ArrayNode problems, JsonNode problem) {
        for (JsonNode known : problems) {
            if (known.path("line").equals(problem.path("line"))
                    && known.path("message").equals(problem.path("message"))) {
                return;
            }
        }
        problems.add(problem);
    }

    HttpAnswer diff(RouteCall call) {
        EffectiveProfile from = profiles.required(side(call, "from")).profile();
        EffectiveProfile to = profiles.required(side(call, "to")).profile();
        ObjectNode json =
                Json.object().put("from", from.id().value()).put("to", to.id().value());
        ProfileDiff diff = ProfileDiff.between(from, to);
        json.set("changes", ProfileJson.object(diff.toJson()).path("changes"));
        return HttpAnswer.json(json.put("text", diff.text()));
    }

    private static Optional<String> side(RouteCall call, String name) {
        return Optional.of(call.query(name)
                .orElseThrow(() ->
                        new HttpProblem(HttpProblem.Code.BAD_QUERY, "two profiles are compared", "give ?from=A&to=B")));
    }

    HttpAnswer connectors(RouteCall call) {
        return HttpAnswer.json(ProfileJson.object(
                new Connectors(profiles.required(call.query("profile")).profile()).list()));
    }

    HttpAnswer addConnector(RouteCall call) {
        Connectors.Request request = Connectors.parse(Json.text(call.json()))
                .orElseThrow(() -> new ServiceProblem(
                        ServiceProblem.Code.BAD_SERVER,
                        "a connector has an id",
                        "send {\"id\": …, \"url\" or \"command\": …}"));
        EffectiveProfile profile = profiles.required(request.profile()).profile();
        switch (new Connectors(profile).add(request)) {
            case Connectors.Outcome.Accepted accepted -> edit(() -> users.add(profile.id(), accepted.server()));
            case Connectors.Outcome.Refused refused -> throw refusal(refused);
            case Connectors.Outcome.Removable _ -> throw new IllegalStateException("an addition removes nothing");
        }
        profiles.reload();
        EffectiveProfile now =
                profiles.required(Optional.of(profile.id().value())).profile();
        return HttpAnswer.json(now.entry("mcpServers." + request.id())
                .map(owned -> ProfileJson.object(new Connectors(now).entry(owned)))
                .orElseThrow(() -> new ServiceProblem(
                        ServiceProblem.Code.OPERATION_FAILED,
                        "the server was written but is not in force",
                        "see why: `capsem profiles show --effective`")));
    }

    HttpAnswer removeConnector(RouteCall call) {
        EffectiveProfile profile = profiles.required(call.query("profile")).profile();
        Connectors connectors = new Connectors(profile);
        return switch (connectors.remove(call.variable("id"))) {
            case Connectors.Outcome.Removable removable -> {
                edit(() -> users.remove(profile.id(), removable.server()));
                profiles.reload();
                yield HttpAnswer.json(ProfileJson.object(connectors.removed(removable.server())));
            }
            case Connectors.Outcome.Refused refused -> throw refusal(refused);
            case Connectors.Outcome.Accepted _ -> throw new IllegalStateException("a removal adds nothing");
        };
    }

    private static ServiceProblem refusal(Connectors.Outcome.Refused refused) {
        ServiceProblem.Code code = switch (refused.code()) {
            case "server_exists" -> ServiceProblem.Code.SERVER_EXISTS;
            case "server_is_locked" -> ServiceProblem.Code.SERVER_IS_LOCKED;
            case "unknown_server" -> ServiceProblem.Code.SERVER_NOT_FOUND;
            default -> ServiceProblem.Code.BAD_SERVER;
        };
        return new ServiceProblem(code, refused.message(), "docs/profiles.md shows how a server is written");
    }

    private interface Change {
        UserProfiles.Edit make();
    }

    private static void edit(Change change) {
        try {
            if (change.make() instanceof UserProfiles.Edit.Refused refused) {
                throw new ServiceProblem(
                        ServiceProblem.Code.BAD_SERVER,
                        Profiles.text(refused.problems()),
                        "edit the file, then reload");
            }
        } catch (ProfileException e) {
            throw unwritable(e);
        }
    }
}
