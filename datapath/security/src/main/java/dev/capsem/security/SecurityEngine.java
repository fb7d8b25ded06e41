package dev.capsem.security;

import dev.capsem.events.row.Finding;
import dev.capsem.events.row.Step;
import dev.capsem.events.security.BlockCause;
import dev.capsem.events.security.Body;
import dev.capsem.events.security.Decision;
import dev.capsem.events.security.Evaluation;
import dev.capsem.events.security.Evaluation.Allowed;
import dev.capsem.events.security.Evaluation.Asked;
import dev.capsem.events.security.Evaluation.Blocked;
import dev.capsem.events.security.Evaluation.Outcome;
import dev.capsem.events.security.Evaluation.Rewritten;
import dev.capsem.events.security.Mutation;
import dev.capsem.events.security.SecurityEvent;
import dev.capsem.events.security.SecurityEvent.HttpResponse;
import dev.capsem.events.security.SecurityEvent.ModelResponse;
import dev.capsem.events.security.SecurityGate;
import dev.capsem.events.vocabulary.EventType;
import dev.capsem.events.vocabulary.StepKind;
import dev.capsem.events.vocabulary.StepStatus;
import dev.capsem.security.condition.Counts;
import dev.capsem.security.condition.EvaluationFailure;
import dev.capsem.security.condition.Frame;
import dev.capsem.security.condition.Gaps;
import dev.capsem.security.condition.Match;
import dev.capsem.security.condition.Meter;
import dev.capsem.security.rule.Rewrite;
import dev.capsem.security.rule.Rule;
import dev.capsem.security.sigma.Detection;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Decides events by the rules in force. The first rule that matches decides; if none does, or anything goes wrong,
/// the event is blocked. Rules are swapped as a whole while events are judged; each event sees one set.
public final class SecurityEngine implements SecurityGate {
    /// Empty until something valid was loaded. Read once per event.
    private volatile Optional<InForce> current;

    /// Together, so that an event is counted for the rules that decided it.
    ///
    /// @param revision of the profile that they are of
    private record InForce(RuleSnapshot snapshot, RuleCounters counters, long generation, Optional<String> revision) {}

    private final Limits limits;
    private final Rates rates = new Rates();

    /// Work allowed, in the units of [Frame].
    public record Limits(long ruleBudget, long eventBudget) {
        public static final Limits STANDARD = new Limits(Frame.RULE_BUDGET, Frame.EVENT_BUDGET);
    }

    /// Blocks everything until [#replace] is called.
    public SecurityEngine() {
        this(Optional.empty(), Limits.STANDARD);
    }

    public SecurityEngine(RuleSnapshot snapshot) {
        this(Optional.of(snapshot), Limits.STANDARD);
    }

    public SecurityEngine(RuleSnapshot snapshot, Limits limits) {
        this(Optional.of(snapshot), limits);
    }

    private SecurityEngine(Optional<RuleSnapshot> snapshot, Limits limits) {
        this.current = snapshot.map(
                first -> new InForce(first, new RuleCounters(first, Optional.empty()), 1, Optional.empty()));
        this.limits = limits;
    }

    /// From the next event on, this set decides.
    public void replace(RuleSnapshot snapshot) {
        replace(snapshot, Optional.empty());
    }

    /// From the next event on, this set decides, and evaluations name the revision. Synchronized against other
    /// replacements only: counts pass from each set to the next.
    public void replace(RuleSnapshot snapshot, String revision) {
        replace(snapshot, Optional.of(revision));
    }

    private synchronized void replace(RuleSnapshot snapshot, Optional<String> revision) {
        Optional<InForce> before = current;
        rates.keep(snapshot.meters());
        current = Optional.of(new InForce(
                snapshot,
                new RuleCounters(snapshot, before.map(InForce::counters)),
                before.map(InForce::generation).orElse(0L) + 1,
                revision));
    }

    public Optional<RuleSnapshot> snapshot() {
        return current.map(InForce::snapshot);
    }

    /// Whether anything but an allowing catch-all could come of events of that type.
    public boolean isWatched(EventType type) {
        return snapshot()
                .filter(rules -> !rules.watchers(type).isEmpty()
                        || rules.rules(type).stream().anyMatch(rule -> rule.decision() != Decision.ALLOW))
                .isPresent();
    }

    /// How many sets of rules there have been, this one included.
    public long generation() {
        return current.map(InForce::generation).orElse(0L);
    }

    /// In the order in which rules are asked.
    public List<RuleStat> stats() {
        return current.map(inForce -> inForce.counters().stats()).orElse(List.of());
    }

    /// In the order of their sources.
    public List<DetectionStat> detectionStats() {
        return current.map(inForce -> inForce.counters().detectionStats()).orElse(List.of());
    }

    @Override
    public Evaluation evaluate(SecurityEvent event) {
        return evaluate(event, Gaps.NONE);
    }

    /// Judges an event once more from its record. The cause is [BlockCause#BODY_UNREAD] where the answer depends on
    /// what was not kept.
    public Evaluation evaluate(SecurityEvent event, Gaps gaps) {
        Optional<InForce> inForce = current;
        if (inForce.isEmpty()) {
            return Evaluation.blocked(BlockCause.NO_RULES, "no valid rules are loaded");
        }
        Evaluation evaluation = evaluate(event, gaps, inForce.get());
        return inForce.get().revision().map(evaluation::withRevision).orElse(evaluation);
    }

    private Evaluation evaluate(SecurityEvent event, Gaps gaps, InForce inForce) {
        if (event instanceof SecurityEvent.ModelRequest request && request.isAmbiguous()) {
            return Evaluation.blocked(
                    BlockCause.MALFORMED_TRAFFIC, "the model request's JSON has a key twice; send each key once");
        }
        try {
            RuleSnapshot snapshot = inForce.snapshot();
            RuleIndex index = snapshot.index(event.type());
            Readings readings = Readings.of(
                    event, snapshot, reading -> new Frame(reading, gaps, limits.ruleBudget(), limits.eventBudget()));
            List<Meter> meters = snapshot.meters(event.type());
            if (!meters.isEmpty()) {
                readings.count(rates.count(meters, readings.usual()));
            }
            Evaluation evaluation =
                    watched(snapshot, readings, readings.judge(frame -> decide(index, index.candidates(frame), frame)));
            if (evaluation.rule().isPresent()) {
                inForce.counters().decided(evaluation.rule().get(), event.envelope());
            }
            inForce.counters().found(evaluation.findings(), event.envelope());
            return evaluation;
        } catch (RuntimeException bug) {
            // The port promises an answer; the caller's exchange must not go on because we stumbled.
            return Evaluation.blocked(
                    BlockCause.ENGINE_FAILURE,
                    "the engine failed: " + bug.getClass().getSimpleName());
        }
    }

    /// The result of evaluating all rules one after another: the meaning that the index must keep.
    Evaluation evaluateLinearly(SecurityEvent event) {
        RuleSnapshot snapshot = current.orElseThrow().snapshot();
        RuleIndex index = snapshot.index(event.type());
        Readings readings = Readings.all(event, snapshot, this::frame);
        readings.count(rates.peek(snapshot.meters(event.type()), readings.usual()));
        return watched(snapshot, readings, readings.judge(frame -> decide(index, index.all(), frame)));
    }

    @Override
    public boolean needsBody(SecurityEvent event) {
        Optional<RuleSnapshot> snapshot = snapshot();
        if (snapshot.isEmpty()) {
            return false;
        }
        try {
            return bodyMatters(snapshot.get(), event)
                    || (snapshot.get().speaksOfUrls(event.type())
                            && Readings.others(event).stream().anyMatch(other -> bodyMatters(snapshot.get(), other)));
        } catch (RuntimeException failure) {
            // With the body there is at least a full answer; evaluating will fail closed.
            return true;
        }
    }

    @Override
    public boolean needsAddress() {
        return snapshot().map(RuleSnapshot::speaksOfAddresses).orElse(true);
    }

    private boolean bodyMatters(RuleSnapshot snapshot, SecurityEvent event) {
        Frame frame = frame(event);
        List<Meter> meters = snapshot.meters(event.type());
        if (!meters.isEmpty()) {
            frame.count(rates.peek(meters, frame));
        }
        RuleIndex index = snapshot.index(event.type());
        RuleIndex.Candidates candidates = index.candidates(frame);
        for (int position = candidates.next(); position >= 0; position = candidates.next()) {
            if (!index.counts(position, event)) {
                continue;
            }
            Match match = index.rule(position).condition().match(frame);
            if (match == Match.OPEN) {
                return true;
            }
            if (match == Match.YES) {
                if (index.rule(position).rewrite().filter(Rewrite::changesBody).isPresent()) {
                    return true;
                }
                break;
            }
        }
        return watchersReadBody(snapshot, event.type());
    }

    /// Detections may hold up a request for its body, but not a response: that one streams unless a rule
    /// needs it.
    private static boolean watchersReadBody(RuleSnapshot snapshot, EventType type) {
        boolean isRequest = type == EventType.HTTP_REQUEST || type == EventType.MODEL_REQUEST;
        return isRequest
                && snapshot.watchers(type).stream()
                        .flatMap(detection -> detection.reads().stream())
                        .anyMatch(field -> field.path().contains(".body."));
    }

    private Frame frame(SecurityEvent event) {
        return new Frame(event, limits.ruleBudget(), limits.eventBudget());
    }

    private Evaluation decide(RuleIndex index, RuleIndex.Candidates candidates, Frame frame) {
        for (int position = candidates.next(); position >= 0; position = candidates.next()) {
            if (!index.counts(position, frame.event())) {
                continue;
            }
            Rule rule = index.rule(position);
            try {
                switch (rule.condition().match(frame)) {
                    case YES -> {
                        return matched(index, position, frame);
                    }
                    case OPEN -> {
                        return bodyUnavailable(rule, frame.event());
                    }
                    case NO, MISSING -> {}
                }
            } catch (EvaluationFailure failure) {
                return failed(rule, failure);
            }
        }
        return frame.event() instanceof SecurityEvent.HttpRequest request && request.leadsInside()
                ? unmatched(
                        BlockCause.PRIVATE_ADDRESS,
                        "the name leads to a " + request.addressClass().orElseThrow()
                                + " address, and no rule that allows it reads http.request.address_class")
                : unmatched(BlockCause.NO_RULE_MATCHED, "no rule matched");
    }

    private static Evaluation unmatched(BlockCause cause, String reason) {
        return new Evaluation(
                new Blocked(cause),
                Optional.empty(),
                Optional.of(reason),
                List.of(step(StepKind.ENFORCEMENT_MATCH, StepStatus.SKIPPED, Optional.empty(), reason)),
                List.of());
    }

    private Evaluation matched(RuleIndex index, int position, Frame frame) {
        Rule rule = index.rule(position);
        return switch (rule.decision()) {
            case ALLOW -> decided(rule, new Allowed());
            case ASK -> decided(rule, new Asked());
            case BLOCK -> decided(rule, new Blocked(BlockCause.RULE));
            case REWRITE -> rewritten(index, position, frame);
        };
    }

    private Evaluation rewritten(RuleIndex index, int position, Frame frame) {
        Rule rule = index.rule(position);
        Rewrite rewrite = rule.rewrite().orElseThrow();
        return switch (rewrite.apply(frame.event())) {
            case Rewrite.Applied.Failed failed ->
                blocked(rule, BlockCause.REWRITE_FAILED, "the rewrite does not fit: " + failed.reason());
            case Rewrite.Applied.Changed changed -> {
                Optional<Evaluation> stricter = strongerRule(index, position, changed.event(), frame.counts());
                yield stricter.orElseGet(() -> rewritten(rule, changed));
            }
        };
    }

    /// A rewrite must not carry an event past a rule that stands before it: the changed event is shown to
    /// those once more.
    private Optional<Evaluation> strongerRule(RuleIndex index, int limit, SecurityEvent changed, Counts counts) {
        Frame frame = frame(changed);
        frame.count(counts);
        RuleIndex.Candidates candidates = index.candidates(frame);
        for (int position = candidates.next(); position >= 0 && position < limit; position = candidates.next()) {
            if (!index.counts(position, changed)) {
                continue;
            }
            Rule rule = index.rule(position);
            try {
                Match match = rule.condition().match(frame);
                if (match == Match.OPEN) {
                    return Optional.of(bodyUnavailable(rule, changed));
                }
                if (match != Match.YES) {
                    continue;
                }
            } catch (EvaluationFailure failure) {
                return Optional.of(failed(rule, failure));
            }
            return switch (rule.decision()) {
                case ALLOW -> Optional.empty();
                case ASK -> Optional.of(decided(rule, new Asked()));
                case BLOCK -> Optional.of(decided(rule, new Blocked(BlockCause.RULE)));
                case REWRITE ->
                    Optional.of(blocked(rule, BlockCause.REWRITE_FAILED, "two rewrites would follow each other"));
            };
        }
        return Optional.empty();
    }

    private static Evaluation rewritten(Rule rule, Rewrite.Applied.Changed changed) {
        List<Step> steps = new ArrayList<>();
        steps.add(step(StepKind.ENFORCEMENT_MATCH, StepStatus.MATCHED, Optional.of(rule), Decision.REWRITE.wireName()));
        for (Mutation mutation : changed.mutations()) {
            String what = switch (mutation) {
                case Mutation.HeaderStripped header -> "stripped " + header.name();
                case Mutation.TextReplaced text -> "replaced in " + text.path();
            };
            steps.add(step(StepKind.POSTPROCESSOR, StepStatus.APPLIED, Optional.of(rule), what));
        }
        return new Evaluation(
                new Rewritten(changed.event(), changed.mutations()),
                Optional.of(rule.id()),
                rule.reason(),
                steps,
                List.of());
    }

    private static Evaluation decided(Rule rule, Outcome outcome) {
        return new Evaluation(
                outcome,
                Optional.of(rule.id()),
                rule.reason(),
                List.of(step(
                        StepKind.ENFORCEMENT_MATCH,
                        StepStatus.MATCHED,
                        Optional.of(rule),
                        rule.decision().wireName())),
                List.of());
    }

    private static Evaluation failed(Rule rule, EvaluationFailure failure) {
        BlockCause cause = failure.kind() == EvaluationFailure.Kind.BUDGET_EXCEEDED
                ? BlockCause.RULE_TOO_COSTLY
                : BlockCause.RULE_FAILED;
        return blocked(rule, cause, "the rule " + failure.kind().message());
    }

    private static Evaluation bodyUnavailable(Rule rule, SecurityEvent event) {
        Body body = switch (event) {
            case SecurityEvent.HttpRequest request -> request.body();
            case HttpResponse response ->
                response.body() instanceof Body.Text ? response.request().body() : response.body();
            case SecurityEvent.ModelRequest request -> request.body();
            case ModelResponse response ->
                response.body() instanceof Body.Text ? response.request().body() : response.body();
            default -> Body.NONE;
        };
        return body instanceof Body.TooLarge
                ? blocked(rule, BlockCause.BODY_TOO_LARGE, "the rule reads a body that is too large to inspect")
                : blocked(rule, BlockCause.BODY_UNREAD, "the rule reads a body that is not there to read");
    }

    private static Evaluation blocked(Rule rule, BlockCause cause, String reason) {
        return new Evaluation(
                new Blocked(cause),
                Optional.of(rule.id()),
                Optional.of(reason),
                List.of(step(StepKind.ENFORCEMENT_MATCH, StepStatus.ERROR, Optional.of(rule), reason)),
                List.of());
    }

    private static Step step(StepKind kind, StepStatus status, Optional<Rule> rule, String message) {
        return new Step(
                kind, status, rule.map(matched -> matched.id().value()), Optional.empty(), Optional.of(message));
    }

    /// Adds what detections see. They come after the decision and cannot change it; one that fails is noted,
    /// no more.
    private static Evaluation watched(RuleSnapshot snapshot, Readings readings, Evaluation decided) {
        SecurityEvent event = readings.usual().event();
        List<Detection> watchers = snapshot.watchers(event.type());
        if (watchers.isEmpty()) {
            return decided;
        }
        List<Finding> findings = new ArrayList<>();
        List<Step> steps = new ArrayList<>(decided.steps());
        for (Detection detection : watchers) {
            try {
                if (readings.any(detection::matches)) {
                    findings.add(detection.finding(event));
                    steps.add(step(detection, StepStatus.MATCHED, detection.title()));
                }
            } catch (EvaluationFailure failure) {
                steps.add(step(detection, StepStatus.ERROR, failure.kind().message()));
            }
        }
        return steps.size() == decided.steps().size()
                ? decided
                : new Evaluation(decided.outcome(), decided.rule(), decided.reason(), steps, findings);
    }

    private static Step step(Detection detection, StepStatus status, String message) {
        return new Step(
                StepKind.DETECTION_MATCH,
                status,
                Optional.of(detection.id()),
                Optional.of(detection.packId()),
                Optional.of(message));
    }
}
