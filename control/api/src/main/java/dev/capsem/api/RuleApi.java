package dev.capsem.api;

import static dev.capsem.http.Route.BodyKind.JSON;

import dev.capsem.events.security.RuleId;
import dev.capsem.http.Api;
import dev.capsem.http.HttpAnswer;
import dev.capsem.http.Route;
import dev.capsem.http.RouteCall;
import dev.capsem.profiles.EffectiveProfile;
import dev.capsem.profiles.OwnedEntry;
import dev.capsem.profiles.io.ProfileException;
import dev.capsem.profiles.io.UserProfiles;
import dev.capsem.profiles.vocabulary.Section;
import dev.capsem.service.problem.ServiceProblem;
import dev.capsem.service.profiles.Profiles;
import dev.capsem.service.reload.Reloads;
import dev.capsem.service.rulecheck.RuleText;
import dev.capsem.service.rules.RuleCounts;
import dev.capsem.service.rules.RuleQuestions;
import dev.capsem.service.sandboxes.Sandboxes;
import dev.capsem.service.table.Sandbox;
import dev.capsem.source.Layer;
import dev.capsem.wire.json.Json;
import dev.capsem.wire.json.JsonMembers;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Routes about the rules of profiles.
public final class RuleApi implements Api {
    private static final int UNPROCESSABLE = 422;

    private final Sandboxes sandboxes;
    private final Profiles profiles;
    private final UserProfiles users;
    private final RuleQuestions questions;
    private final RuleCounts counts;
    private final Reloads reloads;

    public RuleApi(
            Sandboxes sandboxes, Profiles profiles, RuleQuestions questions, RuleCounts counts, Reloads reloads) {
        this.sandboxes = sandboxes;
        this.profiles = profiles;
        this.users = new UserProfiles(profiles.folders());
        this.questions = questions;
        this.counts = counts;
        this.reloads = reloads;
    }

    @Override
    public List<Route> routes() {
        return List.of(
                Route.get("/rules", this::list)
                        .answers(
                                "{profile_id, profile_revision, rules: […], warnings: […]}",
                                "The rules of ?profile= or ?sandbox= (with counts), in the order in which they are asked."),
                Route.get("/rules/{id}", this::show).answers("a rule", "One rule."),
                Route.post("/rules", JSON, this::add)
                        .answers(
                                "a rule",
                                "Adds a rule to a profile of the user: {profile, id, rule}, or {profile, text} as people write it."),
                Route.delete("/rules/{id}", this::remove)
                        .answers("{id, removed}", "Removes a rule of the user from ?profile=."),
                Route.post("/rules/check", JSON, this::check)
                        .answers("{ok, rules, problems, warnings}", "Compiles {name, text, lists}; keeps nothing."),
                Route.post("/rules/test", JSON, this::test)
                        .answers(
                                "{ok, passed, failed, cases, problems}",
                                "Runs the expectations in {name, text, lists, profile}."),
                Route.post("/rules/explain", JSON, this::explain)
                        .answers(
                                "{event, decision, outcome, rule, reason, considered, suggestion}",
                                "Why an event is decided as it is: {on, given}, {sandbox, event_id} or {sandbox}."));
    }

    HttpAnswer list(RouteCall call) {
        return HttpAnswer.json(questions.list(profileOf(call), countsOf(call)));
    }

    HttpAnswer show(RouteCall call) {
        return HttpAnswer.json(questions.row(profileOf(call), call.variable("id"), countsOf(call)));
    }

    private Optional<String> profileOf(RouteCall call) {
        return sandboxOf(call).map(sandbox -> sandbox.facts().profileId()).or(() -> call.query("profile"));
    }

    private Optional<Sandbox> sandboxOf(RouteCall call) {
        return call.query("sandbox").map(sandboxes::find);
    }

    private Map<String, Long> countsOf(RouteCall call) {
        return sandboxOf(call)
                .filter(sandbox -> sandbox.status().isLive())
                .map(sandbox -> counts.of(List.of(sandbox)).rules().byId())
                .orElse(Map.of());
    }

    HttpAnswer add(RouteCall call) {
        JsonMembers body = JsonMembers.of(call.json(), "");
        EffectiveProfile profile =
                profiles.required(body.optionalText("profile")).profile();
        Optional<RuleText.Headed> written = body.optionalText("text").map(RuleText::headed);
        RuleId id = ruleId(written.map(RuleText.Headed::id).orElseGet(() -> body.text("id")));
        requireFree(profile, id);
        String table = written.map(RuleText.Headed::table)
                .orElseGet(
                        () -> RuleText.table(body.node("rule").orElseThrow(() -> body.expected("rule", "an object"))));
        var checked = questions.check(
                JsonMembers.of(Json.object().put("name", "request").put("text", "[" + id + "]\n" + table), ""));
        if (!checked.path("ok").asBoolean()) {
            ServiceProblem refusal = new ServiceProblem(
                    ServiceProblem.Code.BAD_RULE,
                    checked.path("problems").get(0).path("message").asString(),
                    "mend it and send it again; docs/rules.md explains each field");
            var json = ServiceErrors.error(refusal).toJson();
            json.set("problems", checked.path("problems"));
            return new HttpAnswer.JsonBody(UNPROCESSABLE, json);
        }
        edit(() -> users.add(profile.id(), id, table));
        reloads.all();
        return HttpAnswer.json(questions.row(Optional.of(profile.id().value()), id.value(), Map.of()));
    }

    private static RuleId ruleId(String text) {
        try {
            return new RuleId(text);
        } catch (IllegalArgumentException e) {
            throw new ServiceProblem(
                    ServiceProblem.Code.BAD_RULE_ID,
                    "an id is written security.rules.<type>.<name>",
                    "types are http, dns, mcp, model, process and file",
                    e);
        }
    }

    private static void requireFree(EffectiveProfile profile, RuleId id) {
        if (!profile.isEditable(Section.SECURITY_RULES)) {
            throw new ServiceProblem(
                    ServiceProblem.Code.NOT_EDITABLE,
                    "rules are locked in the profile " + profile.id(),
                    "ask the administrator of your company's profiles");
        }
        Optional<OwnedEntry> present = profile.entry(id.value());
        if (present.isPresent()) {
            boolean isUsers = present.get().provenance().layer() == Layer.USER;
            throw new ServiceProblem(
                    isUsers ? ServiceProblem.Code.RULE_EXISTS : ServiceProblem.Code.RULE_IS_BUILTIN,
                    id + " is there already: " + present.get().provenance(),
                    "choose another name");
        }
    }

    HttpAnswer remove(RouteCall call) {
        EffectiveProfile profile = profiles.required(call.query("profile")).profile();
        String wished = call.variable("id");
        OwnedEntry present = profile.entry(wished)
                .orElseThrow(() -> new ServiceProblem(
                        ServiceProblem.Code.RULE_NOT_FOUND,
                        "there is no such rule in " + profile.id(),
                        "see which there are: `capsem rules list`"));
        boolean isUsers = present.provenance().layer() == Layer.USER
                && present.provenance().profile().equals(profile.id())
                && !present.provenance().locked();
        if (!isUsers) {
            throw new ServiceProblem(
                    ServiceProblem.Code.RULE_IS_BUILTIN,
                    wished + " is not a rule of yours: " + present.provenance(),
                    "write a rule of your own with a lower priority: `capsem rules add FILE`");
        }
        edit(() -> users.remove(profile.id(), ruleId(wished)));
        reloads.all();
        return HttpAnswer.json(Json.object().put("id", wished).put("removed", true));
    }

    private interface Change {
        UserProfiles.Edit make();
    }

    private static void edit(Change change) {
        try {
            if (change.make() instanceof UserProfiles.Edit.Refused refused) {
                throw new ServiceProblem(
                        ServiceProblem.Code.BAD_RULE,
                        Profiles.text(refused.problems()),
                        "edit the file, then `capsem reload`");
            }
        } catch (ProfileException e) {
            throw new ServiceProblem(
                    ServiceProblem.Code.OPERATION_FAILED, String.valueOf(e.getMessage()), "is the disk full?", e);
        }
    }

    HttpAnswer check(RouteCall call) {
        return HttpAnswer.json(questions.check(JsonMembers.of(call.json(), "")));
    }

    HttpAnswer test(RouteCall call) {
        return HttpAnswer.json(questions.test(JsonMembers.of(call.json(), "")));
    }

    HttpAnswer explain(RouteCall call) {
        JsonMembers body = JsonMembers.of(call.json(), "");
        Optional<Sandbox> sandbox = body.optionalText("sandbox").map(sandboxes::find);
        return HttpAnswer.json(questions.explain(
                body,
                new RuleQuestions.Scene(
                        sandbox.map(found -> found.facts().profileId()).or(() -> body.optionalText("profile")),
                        sandbox.map(found -> found.facts().sessionDir()))));
    }
}
