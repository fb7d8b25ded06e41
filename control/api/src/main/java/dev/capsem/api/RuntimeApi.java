package dev.capsem.api;

import static dev.capsem.http.Route.BodyKind.JSON;
import static dev.capsem.http.Route.BodyKind.OPTIONAL_JSON;

import dev.capsem.http.Api;
import dev.capsem.http.HttpAnswer;
import dev.capsem.http.HttpProblem;
import dev.capsem.http.Route;
import dev.capsem.http.RouteCall;
import dev.capsem.security.sigma.Detection;
import dev.capsem.security.sigma.DetectionSource;
import dev.capsem.service.overlay.DetectionPack;
import dev.capsem.service.overlay.EnforcementRule;
import dev.capsem.service.overlay.RuntimeRules;
import dev.capsem.service.reload.Reloads;
import dev.capsem.service.rules.Backtests;
import dev.capsem.service.rules.RuleCounts;
import dev.capsem.service.rules.RuleQuestions;
import dev.capsem.service.sandboxes.Sandboxes;
import dev.capsem.service.table.Sandbox;
import dev.capsem.wire.json.Json;
import dev.capsem.wire.json.JsonMembers;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/// Routes about rules and detections that are added while sandboxes run.
public final class RuntimeApi implements Api {
    private static final String ENFORCEMENT = "enforcement";
    private static final String DETECTION = "detection";

    private final RuntimeRules overlay;
    private final Reloads reloads;
    private final Backtests backtests;
    private final RuleCounts counts;
    private final Sandboxes sandboxes;

    public RuntimeApi(
            RuntimeRules overlay, Reloads reloads, Backtests backtests, RuleCounts counts, Sandboxes sandboxes) {
        this.overlay = overlay;
        this.reloads = reloads;
        this.backtests = backtests;
        this.counts = counts;
        this.sandboxes = sandboxes;
    }

    @Override
    public List<Route> routes() {
        return List.of(
                Route.get("/enforcement", this::enforcement)
                        .answers("{kind, generation, rules: […]}", "Rules added to running sandboxes."),
                Route.post("/enforcement", JSON, this::addEnforcement)
                        .answers("{kind, rule, propagation}", "Adds one."),
                Route.put("/enforcement/{id}", JSON, this::changeEnforcement)
                        .answers("{kind, rule, propagation}", "Changes one."),
                Route.delete("/enforcement/{id}", this::removeEnforcement)
                        .answers("{kind, id, removed, propagation}", "Removes one."),
                Route.post("/enforcement/validate", JSON, this::compileEnforcement)
                        .answers("{compiled, id, compiled_plan}", "Compiles one; keeps nothing."),
                Route.post("/enforcement/compile", JSON, this::compileEnforcement)
                        .answers("{compiled, id, compiled_plan}", "The same."),
                Route.post("/enforcement/backtest", JSON, this::backtestEnforcement)
                        .answers(
                                "{total_matches, unique_evidence_matches, truncated, undecided, skipped_events, rows}",
                                "What {rule}, with its {lists}, would have decided of {events} or of {sandbox}."),
                Route.get("/enforcement/stats", this::enforcementStats)
                        .answers(
                                "{kind, generation, rules, profile_rules, sync}",
                                "How often rules decided in running sandboxes."),
                Route.get("/detection", this::detection)
                        .answers("{kind, generation, rules: […]}", "Sigma rules added to running sandboxes."),
                Route.post("/detection", JSON, this::addDetection)
                        .answers("{kind, rule, propagation}", "Adds {sigma}."),
                Route.delete("/detection/{id}", this::removeDetection)
                        .answers("{kind, id, removed, propagation}", "Removes one."),
                Route.post("/detection/validate", JSON, this::compileDetection)
                        .answers("{compiled, id, compiled_plan, …}", "Compiles {sigma}; keeps nothing."),
                Route.post("/detection/compile", JSON, this::compileDetection)
                        .answers("{compiled, id, compiled_plan, …}", "The same."),
                Route.post("/detection/backtest", JSON, this::backtestDetection)
                        .answers(
                                "as /enforcement/backtest",
                                "What {rule} would have found in {events} or in {sandbox}."),
                Route.post("/detection/hunt", JSON, this::hunt)
                        .answers("as /enforcement/backtest", "What {rules}, or else those in force, would have found."),
                Route.get("/detection/stats", this::detectionStats)
                        .answers("{kind, generation, rules, sync}", "How often detections found something."),
                Route.post("/sessions/{id}/detection/hunt", OPTIONAL_JSON, this::huntSession)
                        .answers("as /enforcement/backtest", "The same in what one sandbox recorded."));
    }

    HttpAnswer enforcement(RouteCall call) {
        ObjectNode json = Json.object().put("kind", ENFORCEMENT).put("generation", overlay.generation());
        ArrayNode rules = json.putArray("rules");
        overlay.enforcement().forEach(rule -> rules.add(row(rule)));
        return HttpAnswer.json(json);
    }

    private static ObjectNode row(EnforcementRule rule) {
        return rule.toJson().put("effective_id", rule.effectiveId().value()).put("compiled_plan", rule.plan());
    }

    HttpAnswer addEnforcement(RouteCall call) {
        EnforcementRule rule = overlay.checkEnforcement(call.json());
        overlay.put(rule, true);
        return changed(ENFORCEMENT, row(rule));
    }

    HttpAnswer changeEnforcement(RouteCall call) {
        ObjectNode body = call.json().isObject() ? (ObjectNode) call.json().deepCopy() : Json.object();
        String id = call.variable("id");
        if (body.has("id") && !body.path("id").asString("").equals(id)) {
            throw new HttpProblem(HttpProblem.Code.WRONG_SHAPE, "the body names another rule", "leave its id out");
        }
        EnforcementRule rule = overlay.checkEnforcement(body.put("id", id));
        overlay.put(rule, false);
        return changed(ENFORCEMENT, row(rule));
    }

    private HttpAnswer changed(String kind, ObjectNode rule) {
        ObjectNode json = Json.object().put("kind", kind);
        json.set("rule", rule.put("generation", overlay.generation()));
        json.set("propagation", reloads.overlayChanged().toJson());
        return HttpAnswer.json(json);
    }

    HttpAnswer removeEnforcement(RouteCall call) {
        overlay.removeEnforcement(call.variable("id"));
        return removed(ENFORCEMENT, call.variable("id"));
    }

    private HttpAnswer removed(String kind, String id) {
        ObjectNode json = Json.object().put("kind", kind).put("id", id).put("removed", true);
        json.set("propagation", reloads.overlayChanged().toJson());
        return HttpAnswer.json(json);
    }

    HttpAnswer compileEnforcement(RouteCall call) {
        EnforcementRule rule = overlay.checkEnforcement(call.json());
        return HttpAnswer.json(
                Json.object().put("compiled", true).put("id", rule.id()).put("compiled_plan", rule.plan()));
    }

    HttpAnswer backtestEnforcement(RouteCall call) {
        JsonMembers body = JsonMembers.of(call.json(), "");
        Map<String, List<String>> lists = RuleQuestions.lists(body);
        EnforcementRule rule = overlay.checkEnforcement(
                body.node("rule").orElseThrow(() -> body.expected("rule", "an object")), lists);
        return HttpAnswer.json(backtests.enforcement(rule, lists, samples(body), limit(body)));
    }

    private Backtests.Samples samples(JsonMembers body) {
        List<Backtests.Sample> samples = new ArrayList<>(Backtests.samples(body));
        Optional<String> session = body.optionalText("sandbox").or(() -> body.optionalText("session_id"));
        Optional<Backtests.Samples> recorded = session.map(sandboxes::find)
                .map(sandbox ->
                        Backtests.samples(sandbox.id().value(), sandbox.facts().sessionDir()));
        recorded.ifPresent(all -> samples.addAll(all.samples()));
        return new Backtests.Samples(
                samples, recorded.map(Backtests.Samples::skipped).orElse(0));
    }

    private static int limit(JsonMembers body) {
        int limit = body.integer("limit", Backtests.ROWS_DEFAULT);
        if (limit < 1 || limit > Backtests.ROWS_MAX) {
            throw body.expected("limit", "from 1 to " + Backtests.ROWS_MAX);
        }
        return limit;
    }

    HttpAnswer enforcementStats(RouteCall call) {
        RuleCounts.Counted counted = counted();
        ObjectNode json = Json.object().put("kind", ENFORCEMENT).put("generation", overlay.generation());
        ArrayNode rules = json.putArray("rules");
        overlay.enforcement().forEach(rule -> {
            ObjectNode row = row(rule);
            addCounts(row, rule.effectiveId().value(), counted.rules());
            rules.add(row);
        });
        ArrayNode others = json.putArray("profile_rules");
        counted.rules().byId().keySet().stream()
                .sorted()
                .filter(id -> overlay.enforcement().stream()
                        .noneMatch(rule -> rule.effectiveId().value().equals(id)))
                .forEach(id -> addCounts(others.addObject().put("id", id), id, counted.rules()));
        return HttpAnswer.json(withSync(json, counted));
    }

    private RuleCounts.Counted counted() {
        List<Sandbox> live = sandboxes.all().stream()
                .filter(sandbox -> sandbox.status().isLive())
                .toList();
        return counts.of(live);
    }

    private static void addCounts(ObjectNode row, String id, RuleCounts.Tally counted) {
        row.put("match_count", counted.byId().getOrDefault(id, 0L));
        Optional.ofNullable(counted.lastMatched().get(id)).ifPresent(at -> row.put("last_matched_unix_ms", at));
    }

    private static ObjectNode withSync(ObjectNode json, RuleCounts.Counted counted) {
        ObjectNode sync = json.putObject("sync")
                .put("target_count", counted.asked())
                .put("failed_session_count", counted.silent().size());
        ArrayNode silent = sync.putArray("failed_session_ids");
        counted.silent().forEach(silent::add);
        return json;
    }

    HttpAnswer detection(RouteCall call) {
        ObjectNode json = Json.object().put("kind", DETECTION).put("generation", overlay.generation());
        ArrayNode rules = json.putArray("rules");
        overlay.detections().forEach(pack -> rules.add(row(pack)));
        return HttpAnswer.json(json);
    }

    private ObjectNode row(DetectionPack pack) {
        return row(overlay.checkDetection(Json.object()
                .put("id", pack.id())
                .put("pack_id", pack.packId())
                .put("sigma", pack.sigma())
                .put("enabled", pack.enabled())));
    }

    private static ObjectNode row(RuntimeRules.CheckedPack checked) {
        ObjectNode json = Json.object()
                .put("id", checked.pack().id())
                .put("pack_id", checked.pack().packId())
                .put("enabled", checked.pack().enabled());
        describe(json, checked.detections().getFirst());
        ArrayNode all = json.putArray("detections");
        checked.detections().forEach(detection -> describe(all.addObject().put("rule_id", detection.id()), detection));
        return json.put("sigma", checked.pack().sigma());
    }

    private static void describe(ObjectNode json, Detection detection) {
        detection.sigmaId().ifPresent(id -> json.put("sigma_id", id));
        json.put("title", detection.title())
                .put("severity", detection.severity().wireName())
                .put("confidence", detection.confidence().wireName());
        ArrayNode tags = json.putArray("tags");
        detection.tags().forEach(tags::add);
    }

    HttpAnswer addDetection(RouteCall call) {
        RuntimeRules.CheckedPack checked = overlay.checkDetection(call.json());
        overlay.add(checked.pack());
        return changed(DETECTION, row(checked));
    }

    HttpAnswer removeDetection(RouteCall call) {
        overlay.removeDetection(call.variable("id"));
        return removed(DETECTION, call.variable("id"));
    }

    HttpAnswer compileDetection(RouteCall call) {
        RuntimeRules.CheckedPack checked = overlay.checkDetection(call.json());
        ObjectNode json = row(checked);
        return HttpAnswer.json(json.put("compiled", true)
                .put("compiled_plan", "sigma:" + checked.detections().size()));
    }

    HttpAnswer backtestDetection(RouteCall call) {
        JsonMembers body = JsonMembers.of(call.json(), "");
        JsonNode rule = body.node("rule").orElseThrow(() -> body.expected("rule", "an object"));
        return HttpAnswer.json(
                backtests.detection(List.of(overlay.checkDetection(rule).pack().source()), samples(body), limit(body)));
    }

    HttpAnswer hunt(RouteCall call) {
        JsonMembers body = JsonMembers.of(call.json(), "");
        return HttpAnswer.json(backtests.detection(packs(body), samples(body), limit(body)));
    }

    HttpAnswer huntSession(RouteCall call) {
        JsonMembers body = JsonMembers.of(call.json(), "");
        Sandbox sandbox = sandboxes.find(call.variable("id"));
        Backtests.Samples samples =
                Backtests.samples(sandbox.id().value(), sandbox.facts().sessionDir());
        return HttpAnswer.json(backtests.detection(packs(body), samples, limit(body)));
    }

    /// Those of the request, or else those in force.
    private List<DetectionSource> packs(JsonMembers body) {
        Optional<JsonNode> rules = body.node("rules");
        if (rules.isEmpty()) {
            return overlay.detectionSources();
        }
        List<DetectionSource> packs = new ArrayList<>();
        rules.get()
                .values()
                .forEach(rule -> packs.add(overlay.checkDetection(rule).pack().source()));
        return packs;
    }

    HttpAnswer detectionStats(RouteCall call) {
        RuleCounts.Counted counted = counted();
        ObjectNode json = Json.object().put("kind", DETECTION).put("generation", overlay.generation());
        ArrayNode rules = json.putArray("rules");
        overlay.detections().forEach(pack -> {
            RuntimeRules.CheckedPack checked = overlay.checkDetection(Json.object()
                    .put("id", pack.id())
                    .put("pack_id", pack.packId())
                    .put("sigma", pack.sigma()));
            checked.detections().forEach(detection -> {
                ObjectNode row = rules.addObject()
                        .put("id", pack.id())
                        .put("pack_id", pack.packId())
                        .put("rule_id", detection.id());
                addCounts(row, detection.id(), counted.detections());
            });
        });
        return HttpAnswer.json(withSync(json, counted));
    }
}
