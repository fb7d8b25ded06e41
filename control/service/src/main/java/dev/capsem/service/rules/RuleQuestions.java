package dev.capsem.service.rules;

import dev.capsem.events.security.SecurityEvent;
import dev.capsem.events.security.SecurityEventJson;
import dev.capsem.events.vocabulary.EventType;
import dev.capsem.events.vocabulary.WireNamed;
import dev.capsem.profiles.EffectiveProfile;
import dev.capsem.profiles.ProfileLibrary;
import dev.capsem.profiles.ProfileResolution;
import dev.capsem.profiles.vocabulary.ListText;
import dev.capsem.security.RuleCompiler;
import dev.capsem.security.RuleSnapshot;
import dev.capsem.security.condition.Match;
import dev.capsem.security.explain.DecisionExplanation;
import dev.capsem.security.explain.RuleTests;
import dev.capsem.security.rule.Rule;
import dev.capsem.security.schema.Field;
import dev.capsem.security.schema.Schema;
import dev.capsem.security.sigma.DetectionSource;
import dev.capsem.service.problem.ServiceProblem;
import dev.capsem.service.profiles.SessionPolicy;
import dev.capsem.service.rulecheck.RuleChecker;
import dev.capsem.source.Layer;
import dev.capsem.source.Place;
import dev.capsem.source.Problem;
import dev.capsem.source.SourceText;
import dev.capsem.source.Suggestion;
import dev.capsem.telemetry.TelemetryException;
import dev.capsem.telemetry.read.SessionReader;
import dev.capsem.wire.json.Json;
import dev.capsem.wire.json.JsonMembers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/// Questions about rules. Texts come from them, profiles from the home, events from them or from a session.
public final class RuleQuestions {
    /// Of a word that somebody else chose.
    private static final int SHOWN_MAX = 64;

    /// A list of a thousand rules that did not match explains nothing.
    private static final int CONSIDERED_MAX = 50;

    /// Rules of the built-in profiles that refuse what agents send all the time and nobody misses.
    private static final List<String> QUIET = List.of("security.rules.http.telemetry", "security.rules.dns.telemetry");

    private final SessionPolicy policy;
    private final RuleChecker checker;
    private final HostsFile hosts;

    public RuleQuestions(SessionPolicy policy, RuleChecker checker, HostsFile hosts) {
        this.policy = policy;
        this.checker = checker;
        this.hosts = hosts;
    }

    private EffectiveProfile profile(Optional<String> id) {
        return policy.profiles().required(id).profile();
    }

    /// The reply of `GET /rules`, in the order in which they are asked.
    public ObjectNode list(Optional<String> profileId, Map<String, Long> counts) {
        EffectiveProfile profile = profile(profileId);
        ObjectNode json =
                Json.object().put("profile_id", profile.id().value()).put("profile_revision", profile.revision());
        ArrayNode rules = json.putArray("rules");
        profile.rules().forEach(owned -> rules.add(RuleRows.row(profile, owned, counts)));
        ArrayNode warnings = json.putArray("warnings");
        switch (checker.compile(profile.ruleSources(), List.of())) {
            case RuleCompiler.Result.Compiled compiled ->
                compiled.warnings().forEach(warning -> warnings.add(problem(warning, "")));
            case RuleCompiler.Result.Rejected rejected ->
                rejected.problems().forEach(problem -> warnings.add(problem(problem, "")));
        }
        return json;
    }

    public ObjectNode row(Optional<String> profileId, String ruleId, Map<String, Long> counts) {
        EffectiveProfile profile = profile(profileId);
        return profile.rules().stream()
                .filter(owned -> owned.entry().path().equals(ruleId))
                .findFirst()
                .map(owned -> RuleRows.row(profile, owned, counts))
                .orElseThrow(() -> unknownRule(profile, ruleId));
    }

    static ServiceProblem unknownRule(EffectiveProfile profile, String ruleId) {
        return new ServiceProblem(
                ServiceProblem.Code.RULE_NOT_FOUND,
                "there is no rule " + ruleId.substring(0, Math.min(ruleId.length(), 128)) + " in " + profile.id(),
                "see which there are: `capsem rules list`");
    }

    /// The reply of `POST /rules/check`.
    public ObjectNode check(JsonMembers body) {
        String name = body.text("name");
        String text = body.text("text");
        Map<String, List<String>> lists = lists(body);
        RuleCompiler.Result result = compile(name, text, lists, Optional.empty());
        List<ObjectNode> problems = new ArrayList<>(profileProblems(name, text, lists));
        List<ObjectNode> warnings = new ArrayList<>();
        int rules = 0;
        switch (result) {
            case RuleCompiler.Result.Compiled compiled -> {
                rules = compiled.snapshot().rules().size();
                compiled.warnings().forEach(warning -> warnings.add(problem(warning, text)));
            }
            case RuleCompiler.Result.Rejected rejected ->
                rejected.problems()
                        .forEach(problem -> (problem.isError() ? problems : warnings).add(problem(problem, text)));
        }
        ObjectNode json = Json.object().put("ok", problems.isEmpty()).put("rules", rules);
        json.putArray("problems").addAll(problems);
        json.putArray("warnings").addAll(warnings);
        return json;
    }

    /// The problems of a text that is a whole profile, beside its rules.
    private List<ObjectNode> profileProblems(String name, String text, Map<String, List<String>> lists) {
        if (!isProfile(text)) {
            return List.of();
        }
        ProfileLibrary.Validation validation =
                policy.profiles().library().validate(new SourceText(name, Layer.USER, text, lists));
        List<Problem> all = new ArrayList<>(validation.problems());
        validation.resolutions().forEach(resolution -> {
            if (resolution instanceof ProfileResolution.Refused refused) {
                all.addAll(refused.problems());
            }
        });
        return all.stream()
                .filter(Problem::isError)
                .distinct()
                .map(problem -> located(
                        problem.place().file(),
                        problem.place().line(),
                        problem.place().column(),
                        problem.message(),
                        text))
                .toList();
    }

    /// The texts of lists that stand beside the file, by name.
    public static Map<String, List<String>> lists(JsonMembers body) {
        Map<String, List<String>> lists = new HashMap<>();
        body.node("lists")
                .ifPresent(given -> given.properties()
                        .forEach(list -> ListText.entries(list.getValue().asString(""))
                                .ifPresent(entries -> lists.put(list.getKey(), entries))));
        return lists;
    }

    private static boolean isProfile(String text) {
        return text.lines().anyMatch(line -> line.matches("\\s*schema\\s*=.*"));
    }

    private RuleCompiler.Result compile(
            String name, String text, Map<String, List<String>> lists, Optional<String> profileId) {
        List<SourceText> sources = new ArrayList<>();
        profileId.ifPresent(id -> sources.addAll(profile(Optional.of(id)).ruleSources()));
        if (name.isBlank()) {
            throw new ServiceProblem(
                    ServiceProblem.Code.WRONG_SHAPE, "the text has no name", "give the file's name as name");
        }
        boolean isSigma = name.endsWith(".yml") || name.endsWith(".yaml");
        if (isSigma) {
            return checker.compile(sources, List.of(new DetectionSource(name, "check", text)));
        }
        sources.add(new SourceText(name, Layer.USER, text, lists));
        return checker.compile(sources, List.of());
    }

    /// The reply of `POST /rules/test`.
    public ObjectNode test(JsonMembers body) {
        String text = body.text("text");
        ObjectNode json = Json.object();
        List<ObjectNode> wrong = profileProblems(body.text("name"), text, lists(body));
        if (!wrong.isEmpty()) {
            // A profile that would be refused is not tested: its rules would never be in force.
            json.put("ok", false).put("passed", 0).put("failed", 0).putArray("cases");
            json.putArray("problems").addAll(wrong);
            return json;
        }
        switch (compile(body.text("name"), text, lists(body), body.optionalText("profile"))) {
            case RuleCompiler.Result.Rejected rejected -> {
                json.put("ok", false).put("passed", 0).put("failed", 0).putArray("cases");
                ArrayNode problems = json.putArray("problems");
                rejected.problems().forEach(problem -> problems.add(problem(problem, text)));
            }
            case RuleCompiler.Result.Compiled compiled -> {
                List<RuleTests.Outcome> outcomes = RuleTests.run(compiled.snapshot());
                long passed = outcomes.stream().filter(RuleTests.Outcome::isMet).count();
                json.put("ok", passed == outcomes.size()).put("passed", passed).put("failed", outcomes.size() - passed);
                ArrayNode cases = json.putArray("cases");
                outcomes.forEach(outcome -> cases.add(testCase(outcome)));
                json.putArray("problems");
            }
        }
        return json;
    }

    private static ObjectNode testCase(RuleTests.Outcome outcome) {
        ObjectNode json = Json.object()
                .put("name", outcome.expectation().name())
                .put("line", outcome.expectation().place().line())
                .put("ok", outcome.isMet())
                .put("expected", outcome.expectation().decision().wireName())
                .put("actual", outcome.actual().decision().wireName());
        outcome.actual().rule().ifPresent(rule -> json.put("rule", rule.value()));
        if (!outcome.isMet()) {
            json.put("message", outcome.toString());
        }
        return json;
    }

    static ObjectNode problem(Problem problem, String text) {
        Place place = problem.place();
        return located(place.file(), place.line(), place.column(), problem.message(), text);
    }

    private static ObjectNode located(String file, int line, int column, String message, String text) {
        ObjectNode json = Json.object()
                .put("file", file)
                .put("line", line)
                .put("column", column)
                .put("message", message);
        text.lines().skip(Math.max(0, line - 1)).findFirst().ifPresent(snippet -> json.put("snippet", snippet));
        int hint = message.indexOf("Did you mean ");
        if (hint >= 0) {
            json.put(
                    "suggestion",
                    message.substring(hint + "Did you mean ".length()).replaceAll("\\?.*$", ""));
        }
        return json;
    }

    /// What explains: rules of a sandbox or a profile, on an event of a session or a made-up one.
    ///
    /// @param session present: events may come from there
    public record Scene(Optional<String> profileId, Optional<Path> session) {}

    /// The reply of `POST /rules/explain`.
    public ObjectNode explain(JsonMembers body, Scene scene) {
        ObjectNode about = Json.object();
        SecurityEvent event;
        if (body.has("on")) {
            event = given(body);
        } else {
            SessionReader.Evidence evidence = evidence(body, scene);
            about.put("at", evidence.event().path("timestamp").asString()).put("event_id", evidence.eventId());
            Optional<SecurityEvent> kept = RecordedEvents.event(evidence);
            if (kept.isEmpty()) {
                return recorded(about, evidence, profile(scene.profileId()));
            }
            event = kept.get();
        }
        about.put("type", event.type().wireName()).put("subject", RecordedEvents.subject(event));
        EffectiveProfile profile = profile(scene.profileId());
        RuleSnapshot snapshot = snapshot(profile, scene.session().isPresent());
        ObjectNode json = Json.object();
        json.set("event", about);
        add(json, checker.explain(snapshot, event, resolved(event)), snapshot.rules(event.type()), profile);
        return json;
    }

    /// A request that was stopped by its name never got an address, but this host may know it.
    private SecurityEvent resolved(SecurityEvent event) {
        return event instanceof SecurityEvent.HttpRequest request
                        && request.address().isEmpty()
                ? hosts.address(request.host()).map(request::withAddress).orElse(request)
                : event;
    }

    /// Of an event that cannot be judged again: what was decided then, and by which rule.
    private static ObjectNode recorded(ObjectNode about, SessionReader.Evidence evidence, EffectiveProfile profile) {
        String type = evidence.event().path("event_type").asString();
        ObjectNode json = Json.object();
        json.set("event", about.put("type", type).put("subject", type + " (what it was about was not kept)"));
        String action = evidence.event().path("final_action").asString();
        json.put("decision", action).put("outcome", action);
        evidence.rule().ifPresent(rule -> {
            json.put("rule", rule);
            profile.entry(rule)
                    .ifPresent(owned -> json.put("file", owned.entry().place().file())
                            .put("line", owned.entry().place().line()));
        });
        json.putArray("considered");
        return json;
    }

    private static SecurityEvent given(JsonMembers body) {
        ObjectNode json = body.node("given")
                .filter(JsonNode::isObject)
                .map(node -> (ObjectNode) node.deepCopy())
                .orElseThrow(() -> body.expected("given", "an object that describes the event"));
        String type = body.text("on");
        if (WireNamed.parse(EventType.class, type).isEmpty()) {
            throw unknownEvent(type);
        }
        json.put("event_type", type);
        return switch (SecurityEventJson.read(json)) {
            case SecurityEventJson.Read.Event event -> event.event();
            case SecurityEventJson.Read.Malformed malformed ->
                throw new ServiceProblem(
                        ServiceProblem.Code.BAD_EVENT,
                        "given does not describe an event: " + malformed.reason() + misspelt(json),
                        "docs/reference/security-events.md shows each kind");
        };
    }

    private static ServiceProblem unknownEvent(String type) {
        List<String> known = Schema.JUDGED.stream().map(EventType::wireName).toList();
        String shown = type.substring(0, Math.min(type.length(), SHOWN_MAX));
        return new ServiceProblem(
                ServiceProblem.Code.BAD_EVENT,
                "there is no event \"" + shown + "\"." + Suggestion.didYouMean(type, known),
                "use one of " + String.join(", ", known));
    }

    /// What was given under a name that is nearly one of ours.
    private static String misspelt(ObjectNode given) {
        List<String> known =
                Schema.standard().fields().stream().map(Field::path).toList();
        return paths("", given)
                .filter(path -> !known.contains(path))
                .flatMap(
                        path -> Suggestion.nearest(path, known)
                                .map(meant -> "; did you mean " + meant + " instead of " + path + "?")
                                .stream())
                .findFirst()
                .orElse("");
    }

    private static Stream<String> paths(String above, JsonNode node) {
        if (!node.isObject()) {
            return Stream.of(above);
        }
        return node.properties().stream()
                .flatMap(entry ->
                        paths(above.isEmpty() ? entry.getKey() : above + "." + entry.getKey(), entry.getValue()));
    }

    private static SessionReader.Evidence evidence(JsonMembers body, Scene scene) {
        Path database = scene.session()
                .map(session -> session.resolve("session.db"))
                .filter(Files::exists)
                .orElseThrow(() -> new ServiceProblem(
                        ServiceProblem.Code.WRONG_SHAPE,
                        "neither an event nor a sandbox is named",
                        "give on and given, or sandbox, or sandbox and event_id"));
        try (SessionReader reader = SessionReader.open(database)) {
            Optional<String> id = body.optionalText("event_id");
            return id.map(reader::evidence)
                    .orElseGet(() -> reader.newestHeld(QUIET))
                    .orElseThrow(() -> new ServiceProblem(
                            ServiceProblem.Code.EVENT_NOT_FOUND,
                            id.isPresent() ? "there is no such event in this session" : "nothing was blocked or asked",
                            "see what happened: `capsem logs`"));
        } catch (TelemetryException e) {
            throw new ServiceProblem(
                    ServiceProblem.Code.NOTHING_RECORDED, "the session's record cannot be read", "try again", e);
        }
    }

    /// The rules in force, those of the overlay included.
    RuleSnapshot snapshot(EffectiveProfile profile, boolean withOverlay) {
        List<SourceText> sources = new ArrayList<>(profile.ruleSources());
        if (withOverlay) {
            policy.overlay().source().ifPresent(sources::add);
        }
        List<DetectionSource> packs = withOverlay ? policy.overlay().detectionSources() : List.of();
        return switch (checker.compile(sources, packs)) {
            case RuleCompiler.Result.Compiled compiled -> compiled.snapshot();
            case RuleCompiler.Result.Rejected rejected ->
                throw new ServiceProblem(
                        ServiceProblem.Code.PROFILE_REFUSED,
                        rejected.problems().stream().map(Problem::toString).collect(Collectors.joining("\n")),
                        "mend the rules first");
        };
    }

    private void add(ObjectNode json, DecisionExplanation explanation, List<Rule> rules, EffectiveProfile profile) {
        json.put("decision", explanation.evaluation().decision().wireName())
                .put("outcome", explanation.evaluation().finalAction().wireName());
        explanation.decider().ifPresent(rule -> json.put("rule", rule.id().value()));
        explanation.evaluation().reason().ifPresent(reason -> json.put("reason", reason));
        explanation
                .decider()
                .ifPresent(rule -> json.put("file", rule.place().file())
                        .put("line", rule.place().line()));
        ArrayNode considered = json.putArray("considered");
        Set<String> told = new HashSet<>();
        explanation.nearMisses().stream()
                .filter(DecisionExplanation.NearMiss::isFirst)
                .forEach(miss -> tell(considered, told, miss));
        explanation.decider().ifPresent(rule -> tell(considered, told, rule, "matched", "it decided"));
        explanation.nearMisses().forEach(miss -> tell(considered, told, miss));
        rules.stream()
                .filter(rule -> explanation.alsoMatching().contains(rule.id()))
                .forEach(rule -> tell(considered, told, rule, "matched", "not asked: a rule before it decided"));
        rules.stream()
                .limit(CONSIDERED_MAX)
                .forEach(rule -> tell(considered, told, rule, "not_matched", "its condition does not hold"));
        explanation.remedy().ifPresent(remedy -> {
            switch (remedy) {
                case DecisionExplanation.Remedy.AddRule add ->
                    json.putObject("suggestion")
                            .put("toml", add.toml())
                            .put(
                                    "file",
                                    policy.profiles()
                                            .folders()
                                            .user()
                                            .resolve(profile.id() + ".toml")
                                            .toString())
                            .put("note", "tried on this event: with it, it is allowed");
                case DecisionExplanation.Remedy.NotYours not -> json.put("not_yours", not.reason());
            }
        });
    }

    private static void tell(ArrayNode considered, Set<String> told, DecisionExplanation.NearMiss miss) {
        String why = miss.term()
                + (miss.match() == Match.MISSING ? " reads a missing value" : " is not true")
                + (miss.seen().isEmpty() ? "" : " (" + String.join(", ", miss.seen()) + ")");
        tell(considered, told, miss.rule(), miss.match() == Match.MISSING ? "missing" : "almost", why);
    }

    private static void tell(ArrayNode considered, Set<String> told, Rule rule, String match, String why) {
        if (!told.add(rule.id().value())) {
            return;
        }
        considered
                .addObject()
                .put("rule", rule.id().value())
                .put("decision", rule.decision().wireName())
                .put("priority", rule.priority())
                .put("match", match)
                .put("why", why)
                .put("file", rule.place().file())
                .put("line", rule.place().line());
    }
}
