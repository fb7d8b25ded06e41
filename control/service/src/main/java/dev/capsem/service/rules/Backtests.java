package dev.capsem.service.rules;

import dev.capsem.events.row.Finding;
import dev.capsem.events.security.BlockCause;
import dev.capsem.events.security.Evaluation;
import dev.capsem.events.security.SecurityEvent;
import dev.capsem.events.security.SecurityEventJson;
import dev.capsem.events.vocabulary.EventType;
import dev.capsem.events.vocabulary.WireNamed;
import dev.capsem.security.RuleCompiler;
import dev.capsem.security.RuleSnapshot;
import dev.capsem.security.SecurityEngine;
import dev.capsem.security.condition.Frame;
import dev.capsem.security.condition.Gaps;
import dev.capsem.security.rule.Rule;
import dev.capsem.security.schema.Field;
import dev.capsem.security.schema.Schema;
import dev.capsem.security.schema.Unknown;
import dev.capsem.security.sigma.Detection;
import dev.capsem.security.sigma.DetectionSource;
import dev.capsem.service.overlay.EnforcementRule;
import dev.capsem.service.problem.ServiceProblem;
import dev.capsem.service.rulecheck.RuleChecker;
import dev.capsem.source.Layer;
import dev.capsem.source.SourceText;
import dev.capsem.telemetry.TelemetryException;
import dev.capsem.telemetry.read.SessionReader;
import dev.capsem.wire.json.Json;
import dev.capsem.wire.json.JsonMembers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/// What a rule would have caught: among events that a request brings, or among those a session recorded.
public final class Backtests {
    public static final int ROWS_DEFAULT = 100;
    public static final int ROWS_MAX = 10_000;

    /// The newest of a session; older ones are not looked at.
    private static final int EVENTS_MAX = 10_000;

    private static final int SHOWN_CHARS_MAX = 256;

    private final RuleChecker checker;

    public Backtests(RuleChecker checker) {
        this.checker = checker;
    }

    /// @param reference where it came from
    public record Sample(ObjectNode reference, SecurityEvent event, Gaps gaps, Optional<String> expected) {}

    /// The events to judge.
    ///
    /// @param skipped events of which too little was kept
    public record Samples(List<Sample> samples, int skipped) {
        public Samples {
            samples = List.copyOf(samples);
        }
    }

    /// The events of the request itself.
    public static List<Sample> samples(JsonMembers body) {
        List<Sample> samples = new ArrayList<>();
        for (JsonMembers entry : body.objects("events")) {
            JsonNode json = entry.node("event").orElseThrow(() -> entry.expected("event", "an object"));
            ObjectNode reference = entry.node("event_ref")
                    .filter(JsonNode::isObject)
                    .map(node -> (ObjectNode) node.deepCopy())
                    .orElseGet(() -> Json.object().put("corpus", "request").put("event_id", "event-" + samples.size()));
            samples.add(new Sample(
                    reference, event(named(json, samples.size())), Gaps.NONE, entry.optionalText("expected")));
        }
        return samples;
    }

    /// Events without an id are different events all the same, which rates depend on.
    private static JsonNode named(JsonNode json, int number) {
        if (!(json instanceof ObjectNode object) || object.path("common").has("event_id")) {
            return json;
        }
        ObjectNode named = object.deepCopy();
        named.withObject("common").put("event_id", "event-" + number);
        return named;
    }

    private static SecurityEvent event(JsonNode json) {
        return switch (SecurityEventJson.read(json)) {
            case SecurityEventJson.Read.Event event -> event.event();
            case SecurityEventJson.Read.Malformed malformed ->
                throw new ServiceProblem(
                        ServiceProblem.Code.BAD_EVENT,
                        "not an event: " + malformed.reason(),
                        "docs/reference/security-events.md shows each kind");
        };
    }

    /// The events of a session, as far as they were kept, in the order in which they happened.
    public static Samples samples(String sandbox, Path session) {
        List<Sample> samples = new ArrayList<>();
        int skipped = 0;
        try (SessionReader reader = SessionReader.open(session.resolve("session.db"))) {
            for (SessionReader.Evidence evidence : reader.newest(EVENTS_MAX)) {
                ObjectNode reference = Json.object()
                        .put("corpus", "session")
                        .put("session_id", sandbox)
                        .put("event_id", evidence.eventId())
                        .put(
                                "timestamp_unix_ms",
                                evidence.event().path("timestamp_unix_ms").asLong(0));
                List<RecordedEvents.Replayed> replayed = RecordedEvents.all(evidence);
                skipped += replayed.isEmpty() && isJudged(evidence) ? 1 : 0;
                replayed.forEach(
                        event -> samples.add(new Sample(reference, event.event(), event.gaps(), Optional.empty())));
            }
        } catch (TelemetryException e) {
            throw new ServiceProblem(
                    ServiceProblem.Code.NOTHING_RECORDED, "the session's record cannot be read", "try again", e);
        }
        samples.sort(Comparator.comparing(sample -> sample.event().envelope().at()));
        return new Samples(samples, skipped);
    }

    private static boolean isJudged(SessionReader.Evidence evidence) {
        return WireNamed.parse(
                        EventType.class, evidence.event().path("event_type").asString())
                .filter(Schema.JUDGED::contains)
                .isPresent();
    }

    /// The decisions that one rule would have made.
    ///
    /// @param lists that the rule asks for, by name
    public ObjectNode enforcement(EnforcementRule rule, Map<String, List<String>> lists, Samples samples, int limit) {
        RuleSnapshot snapshot = compile(
                List.of(new SourceText("request", Layer.OVERLAY, rule.toml(), lists)),
                List.of(),
                ServiceProblem.Code.BAD_RULE);
        SecurityEngine engine = new SecurityEngine(snapshot);
        Rule compiled = snapshot.rules().getFirst();
        Report report = new Report(limit, samples.skipped());
        for (Sample sample : samples.samples()) {
            Evaluation evaluation = engine.evaluate(sample.event, sample.gaps);
            if (isUndecided(evaluation)) {
                report.undecided++;
            } else if (evaluation.rule().filter(compiled.id()::equals).isPresent()) {
                report.add(
                        sample,
                        rule.id(),
                        rule.packId(),
                        compiled.condition().facts().reads(),
                        evaluation.decision().wireName());
            }
        }
        return report.json();
    }

    /// Whether the answer hangs on what the record did not keep.
    private static boolean isUndecided(Evaluation evaluation) {
        return evaluation.outcome() instanceof Evaluation.Blocked(BlockCause cause)
                && (cause == BlockCause.BODY_UNREAD || cause == BlockCause.BODY_TOO_LARGE);
    }

    /// The findings that Sigma rules would have made.
    public ObjectNode detection(List<DetectionSource> packs, Samples samples, int limit) {
        RuleSnapshot snapshot = compile(List.of(), packs, ServiceProblem.Code.BAD_DETECTION);
        SecurityEngine engine = new SecurityEngine(snapshot);
        Map<String, Detection> byId = new LinkedHashMap<>();
        snapshot.detections().forEach(detection -> byId.put(detection.id(), detection));
        Report report = new Report(limit, samples.skipped());
        for (Sample sample : samples.samples()) {
            for (Finding finding : engine.evaluate(sample.event, sample.gaps).findings()) {
                Optional<Detection> detection = Optional.ofNullable(byId.get(finding.ruleId()));
                report.add(
                        sample,
                        finding.ruleId(),
                        detection.map(Detection::packId),
                        detection.map(Detection::reads).orElse(Set.of()),
                        "finding");
            }
        }
        return report.json();
    }

    private RuleSnapshot compile(List<SourceText> sources, List<DetectionSource> packs, ServiceProblem.Code code) {
        return switch (checker.compile(sources, packs)) {
            case RuleCompiler.Result.Compiled compiled -> compiled.snapshot();
            case RuleCompiler.Result.Rejected rejected ->
                throw new ServiceProblem(code, rejected.problems().getFirst().toString(), "mend it and send it again");
        };
    }

    /// Collects matches; of those with the same evidence one is shown.
    private static final class Report {
        private final int limit;
        private final Map<String, ObjectNode> rows = new LinkedHashMap<>();
        private final int skipped;
        private int total;
        private int undecided;

        Report(int limit, int skipped) {
            this.limit = limit;
            this.skipped = skipped;
        }

        void add(Sample sample, String rule, Optional<String> pack, Collection<Field> reads, String outcome) {
            total++;
            String signature = signature(rule, sample.event);
            if (rows.containsKey(signature)) {
                return;
            }
            ObjectNode row = Json.object();
            row.set("event_ref", sample.reference);
            row.put("rule_id", rule);
            pack.ifPresent(id -> row.put("pack_id", id));
            row.put("evidence_signature", signature);
            ArrayNode fields = row.putArray("matched_fields");
            Frame frame = new Frame(sample.event, sample.gaps, Frame.RULE_BUDGET, Frame.EVENT_BUDGET);
            for (Field field : reads) {
                Object value = frame.read(field);
                if (field.isShowable() && !(value instanceof Unknown)) {
                    String text = String.valueOf(value);
                    fields.addObject()
                            .put("path", field.path())
                            .put("value", text.substring(0, Math.min(text.length(), SHOWN_CHARS_MAX)));
                }
            }
            row.put("outcome", outcome);
            sample.expected.ifPresent(expected -> row.put("expected", expected));
            rows.put(signature, row);
        }

        private static String signature(String rule, SecurityEvent event) {
            String text = rule + " " + event.type().wireName() + " " + SecurityEventJson.subject(event);
            try {
                byte[] digest = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
                return HexFormat.of().formatHex(digest);
            } catch (NoSuchAlgorithmException e) {
                throw new IllegalStateException("every JDK has SHA-256", e);
            }
        }

        ObjectNode json() {
            ObjectNode json = Json.object()
                    .put("total_matches", total)
                    .put("unique_evidence_matches", rows.size())
                    .put("truncated", rows.size() > limit)
                    .put("undecided", undecided)
                    .put("skipped_events", skipped);
            ArrayNode shown = json.putArray("rows");
            rows.values().stream().limit(limit).forEach(shown::add);
            return json;
        }
    }
}
