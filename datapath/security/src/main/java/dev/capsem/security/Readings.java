package dev.capsem.security;

import dev.capsem.events.Step;
import dev.capsem.events.security.BlockCause;
import dev.capsem.events.security.Evaluation;
import dev.capsem.events.security.SecurityEvent;
import dev.capsem.events.security.SecurityEvent.HttpRequest;
import dev.capsem.events.security.SecurityEvent.HttpResponse;
import dev.capsem.events.vocabulary.StepKind;
import dev.capsem.events.vocabulary.StepStatus;
import dev.capsem.security.condition.Counts;
import dev.capsem.security.condition.Frame;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;

/// One event as servers may understand it. What is sent stays as it is, so a decision counts only if it is the same
/// whichever server reads it.
///
/// @param usual as the standard says
/// @param others beside it
record Readings(Frame usual, List<Frame> others) {
    /// Ordinary paths have one or two; each one more is judged like an event of its own.
    private static final int OTHERS_MAX = 32;

    private static final String REASON =
            "ambiguous_path: servers may read this path in more than one way, and the rules do not say the same of each";

    static Readings of(SecurityEvent event, boolean matters, Function<SecurityEvent, Frame> frames) {
        return new Readings(
                frames.apply(event),
                matters ? others(event).stream().map(frames).toList() : List.of());
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

    /// @param decide asks the rules about one reading
    Evaluation judge(Function<Frame, Evaluation> decide) {
        Evaluation first = decide.apply(usual);
        if (first.outcome() instanceof Evaluation.Blocked) {
            return first;
        }
        if (others.size() > OTHERS_MAX) {
            return ambiguous(first);
        }
        for (Frame frame : others) {
            Evaluation other = decide.apply(frame);
            if (!agree(first, other)) {
                return ambiguous(other);
            }
        }
        return first;
    }

    boolean any(Predicate<Frame> matches) {
        return matches.test(usual) || others.stream().limit(OTHERS_MAX).anyMatch(matches);
    }

    /// However it is understood, it is one event.
    void count(Counts counts) {
        usual.count(counts);
        others.forEach(frame -> frame.count(counts));
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

    private static Evaluation ambiguous(Evaluation deciding) {
        return new Evaluation(
                new Evaluation.Blocked(BlockCause.AMBIGUOUS_PATH),
                deciding.rule(),
                Optional.of(REASON),
                List.of(new Step(
                        StepKind.ENFORCEMENT_MATCH,
                        StepStatus.ERROR,
                        deciding.rule().map(Object::toString),
                        Optional.empty(),
                        Optional.of(REASON))),
                List.of());
    }
}
