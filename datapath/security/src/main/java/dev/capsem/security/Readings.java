package dev.capsem.security;

import dev.capsem.events.row.Step;
import dev.capsem.events.security.BlockCause;
import dev.capsem.events.security.Body;
import dev.capsem.events.security.BodyReading;
import dev.capsem.events.security.Evaluation;
import dev.capsem.events.security.SecurityEvent;
import dev.capsem.events.security.SecurityEvent.HttpRequest;
import dev.capsem.events.security.SecurityEvent.HttpResponse;
import dev.capsem.events.security.SecurityEvent.ModelRequest;
import dev.capsem.events.vocabulary.StepKind;
import dev.capsem.events.vocabulary.StepStatus;
import dev.capsem.security.condition.Counts;
import dev.capsem.security.condition.Frame;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;

/// One event as servers may understand it. What is sent stays as it is, so a decision counts only if it is the same
/// whichever server reads it.
///
/// @param usual as the standard says
/// @param others beside it, by path
/// @param bodies the same with other texts of the body
/// @param rules that are asked
record Readings(Frame usual, List<Frame> others, List<OtherBody> bodies, RuleSnapshot rules) {
    /// Ordinary paths have one or two; each one more is judged like an event of its own.
    private static final int OTHERS_MAX = 32;

    private static final String AMBIGUOUS_PATH =
            "ambiguous_path: servers may read this path in more than one way, and the rules do not say the same of each";

    private static final String AMBIGUOUS_BODY =
            "ambiguous_body: servers may read this body in more than one way, and the rules do not say the same of each";

    /// @param isSame as in [BodyReading]
    record OtherBody(Frame frame, boolean isSame) {}

    static Readings of(SecurityEvent event, RuleSnapshot rules, Function<SecurityEvent, Frame> frames) {
        return of(event, rules, rules.speaksOfUrls(event.type()), rules.speaksOfBodies(event.type()), frames);
    }

    /// As [#of], also of what no rule reads.
    static Readings all(SecurityEvent event, RuleSnapshot rules, Function<SecurityEvent, Frame> frames) {
        return of(event, rules, true, true, frames);
    }

    private static Readings of(
            SecurityEvent event,
            RuleSnapshot rules,
            boolean byUrl,
            boolean byBody,
            Function<SecurityEvent, Frame> frames) {
        List<SecurityEvent> others = byUrl ? others(event) : List.of();
        Optional<Body.Text> text = byBody ? text(event) : Optional.empty();
        if (others.isEmpty() && text.isEmpty()) {
            return new Readings(frames.apply(event), List.of(), List.of(), rules);
        }
        List<OtherBody> bodies = new ArrayList<>();
        if (byBody) {
            for (BodyReading reading : text.map(BodyReading::others).orElse(List.of())) {
                Stream.concat(Stream.of(event), others.stream().limit(OTHERS_MAX))
                        .map(one -> frames.apply(with(one, reading)))
                        .forEach(frame -> bodies.add(new OtherBody(frame, reading.isSame())));
            }
        }
        return new Readings(frames.apply(event), others.stream().map(frames).toList(), List.copyOf(bodies), rules);
    }

    static List<SecurityEvent> others(SecurityEvent event) {
        return switch (event) {
            case HttpRequest request -> List.copyOf(request.otherReadings());
            case HttpResponse response ->
                response.request().otherReadings().stream()
                        .<SecurityEvent>map(response::withRequest)
                        .toList();
            default -> List.of();
        };
    }

    private static Optional<Body.Text> text(SecurityEvent event) {
        Body body = switch (event) {
            case HttpRequest request -> request.body();
            case HttpResponse response -> response.body();
            case ModelRequest request -> request.body();
            default -> Body.NONE;
        };
        return body instanceof Body.Text text ? Optional.of(text) : Optional.empty();
    }

    private static SecurityEvent with(SecurityEvent event, BodyReading reading) {
        Body.Text body = text(event).orElseThrow().reading(reading.text());
        return switch (event) {
            case HttpRequest request -> request.withBody(body);
            case HttpResponse response -> response.withBody(body);
            case ModelRequest request -> request.withBody(body);
            default -> throw new IllegalStateException("an event without a body has no other readings of it");
        };
    }

    /// @param decide asks the rules about one reading
    Evaluation judge(Function<Frame, Evaluation> decide) {
        Evaluation first = decide.apply(usual);
        if (first.outcome() instanceof Evaluation.Blocked) {
            return first;
        }
        if (others.size() > OTHERS_MAX) {
            return ambiguous(first, BlockCause.AMBIGUOUS_PATH, AMBIGUOUS_PATH);
        }
        for (Frame frame : others) {
            Evaluation other = decide.apply(frame);
            if (!agree(first, other)) {
                return ambiguous(other, BlockCause.AMBIGUOUS_PATH, AMBIGUOUS_PATH);
            }
        }
        Evaluation strictest = first;
        for (OtherBody body : bodies) {
            strictest = stricter(strictest, decide.apply(body.frame), body);
            if (strictest.outcome() instanceof Evaluation.Blocked) {
                return strictest;
            }
        }
        return strictest;
    }

    /// A rule that reads the body blocks, or asks, if it does so in any reading. An allow that rests on the body must
    /// hold in every one that means the same. Rules that do not read it have said what they say already.
    private Evaluation stricter(Evaluation first, Evaluation other, OtherBody body) {
        boolean isAboutIt = other.rule().isEmpty() || rules.isAboutBodies(other.rule());
        boolean restsOnIt = body.isSame && rules.isAboutBodies(first.rule());
        return switch (other.outcome()) {
            case Evaluation.Allowed _ -> first;
            case Evaluation.Blocked(BlockCause cause) -> {
                boolean counts = cause == BlockCause.NO_RULE_MATCHED ? restsOnIt : isAboutIt || restsOnIt;
                yield counts ? other : first;
            }
            case Evaluation.Asked _ when !isAboutIt && !restsOnIt -> first;
            case Evaluation.Asked _ ->
                switch (first.outcome()) {
                    case Evaluation.Allowed _ -> other;
                    case Evaluation.Asked _ -> first;
                    case Evaluation.Rewritten _, Evaluation.Blocked _ ->
                        ambiguous(other, BlockCause.AMBIGUOUS_BODY, AMBIGUOUS_BODY);
                };
            case Evaluation.Rewritten(SecurityEvent changed, var _) ->
                !isAboutIt || isChangedAlike(first, other, changed)
                        ? first
                        : ambiguous(other, BlockCause.AMBIGUOUS_BODY, AMBIGUOUS_BODY);
        };
    }

    /// What was rewritten as it is written must be rewritten in the other reading too: otherwise what the rule takes
    /// out stays in for those who read it so.
    private static boolean isChangedAlike(Evaluation first, Evaluation other, SecurityEvent changed) {
        if (!(first.outcome() instanceof Evaluation.Rewritten(SecurityEvent sent, var _))
                || !first.rule().equals(other.rule())) {
            return false;
        }
        Optional<String> wanted = text(changed).map(Body.Text::text);
        return wanted.isEmpty()
                || text(sent).stream()
                        .flatMap(body -> Stream.concat(
                                Stream.of(body.text()),
                                BodyReading.others(body).stream().map(BodyReading::text)))
                        .anyMatch(wanted.get()::equals);
    }

    boolean any(Predicate<Frame> matches) {
        return matches.test(usual)
                || others.stream().limit(OTHERS_MAX).anyMatch(matches)
                || bodies.stream().map(OtherBody::frame).anyMatch(matches);
    }

    /// However it is understood, it is one event.
    void count(Counts counts) {
        usual.count(counts);
        others.forEach(frame -> frame.count(counts));
        bodies.forEach(body -> body.frame.count(counts));
    }

    private static boolean agree(Evaluation first, Evaluation other) {
        return switch (first.outcome()) {
            case Evaluation.Allowed _ -> other.outcome() instanceof Evaluation.Allowed;
            case Evaluation.Asked _ ->
                other.outcome() instanceof Evaluation.Asked && first.rule().equals(other.rule());
            case Evaluation.Rewritten(SecurityEvent changed, var _) ->
                other.outcome() instanceof Evaluation.Rewritten(SecurityEvent also, var _)
                        && first.rule().equals(other.rule())
                        && isAtSamePlace(changed, also);
            case Evaluation.Blocked _ -> false;
        };
    }

    /// A path that was rewritten from one reading says nothing of the others.
    private static boolean isAtSamePlace(SecurityEvent changed, SecurityEvent also) {
        return !(changed instanceof HttpRequest one && also instanceof HttpRequest two)
                || (one.path().equals(two.path()) && one.query().equals(two.query()));
    }

    private static Evaluation ambiguous(Evaluation deciding, BlockCause cause, String reason) {
        return new Evaluation(
                new Evaluation.Blocked(cause),
                deciding.rule(),
                Optional.of(reason),
                List.of(new Step(
                        StepKind.ENFORCEMENT_MATCH,
                        StepStatus.ERROR,
                        deciding.rule().map(Object::toString),
                        Optional.empty(),
                        Optional.of(reason))),
                List.of());
    }
}
