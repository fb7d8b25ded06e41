package dev.capsem.security;

import dev.capsem.events.security.SecurityEvent;
import dev.capsem.events.vocabulary.EventType;
import dev.capsem.security.condition.Condition;
import dev.capsem.security.condition.EvaluationFailure;
import dev.capsem.security.condition.Frame;
import dev.capsem.security.condition.Match;
import dev.capsem.security.condition.compile.ConditionCompiler;
import dev.capsem.security.condition.compile.ConditionProblem;
import java.util.List;

/// Which calls a budget counts: a condition over the fields of rules. Immutable, and safe for many threads.
public final class CallCondition {
    private final Condition condition;
    private final EventType on;

    /// What compiling gave.
    public sealed interface Result {
        record Compiled(CallCondition condition) implements Result {}

        /// @param reasons all that is wrong with it
        record Refused(List<String> reasons) implements Result {
            public Refused {
                reasons = List.copyOf(reasons);
            }
        }
    }

    private CallCondition(Condition condition, EventType on) {
        this.condition = condition;
        this.on = on;
    }

    /// Slow the first time in a process.
    ///
    /// @param types whose fields it may read, in the order in which they are tried; never empty
    public static Result compile(String text, List<EventType> types) {
        ConditionCompiler compiler = new ConditionCompiler();
        List<String> reasons = List.of();
        for (EventType type : types) {
            switch (compiler.compile(text, type)) {
                case ConditionCompiler.Result.Compiled compiled -> {
                    return new Result.Compiled(new CallCondition(compiled.condition(), type));
                }
                case ConditionCompiler.Result.Refused refused -> {
                    // The first type is the one that people write for.
                    reasons = reasons.isEmpty()
                            ? refused.problems().stream()
                                    .map(ConditionProblem::message)
                                    .toList()
                            : reasons;
                }
            }
        }
        return new Result.Refused(reasons);
    }

    /// Whether it is met by the event of its type among these. What cannot be told counts as met, so that nothing
    /// escapes a limit by being unreadable.
    public boolean covers(List<? extends SecurityEvent> events) {
        for (SecurityEvent event : events) {
            if (event.type() == on) {
                try {
                    Match match = condition.match(new Frame(event));
                    return match == Match.YES || match == Match.OPEN;
                } catch (EvaluationFailure failure) {
                    return true;
                }
            }
        }
        return false;
    }
}
