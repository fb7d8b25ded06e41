package dev.capsem.service.rulecheck;

import dev.capsem.events.security.SecurityEvent;
import dev.capsem.profiles.EffectiveProfile;
import dev.capsem.profiles.OwnedEntry;
import dev.capsem.profiles.file.Entry.BudgetEntry;
import dev.capsem.security.CallCondition;
import dev.capsem.security.RuleCompiler;
import dev.capsem.security.RuleSnapshot;
import dev.capsem.security.explain.DecisionExplanation;
import dev.capsem.security.explain.Explainer;
import dev.capsem.security.sigma.DetectionSource;
import dev.capsem.source.Problem;
import dev.capsem.source.SourceText;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The rule compiler of this process, made when it is first needed: a service that only starts sandboxes under
/// built-in profiles never pays for it.
public final class RuleChecker {
    /// Guards the compiler, which is not made for two callers at once.
    private final Object turn = new Object();

    private @Nullable RuleCompiler compiler;

    public RuleCompiler.Result compile(List<SourceText> sources, List<DetectionSource> packs) {
        synchronized (turn) {
            return compiler().compile(sources, packs);
        }
    }

    /// What is wrong with the conditions of a profile's budgets, at their places.
    public List<Problem> budgets(EffectiveProfile profile) {
        List<Problem> problems = new ArrayList<>();
        for (OwnedEntry owned : profile.entries().values()) {
            if (owned.entry() instanceof BudgetEntry entry
                    && entry.budget().match().isPresent()
                    && CallCondition.compile(
                                    entry.budget().match().get(),
                                    entry.budget().limit().unit().matched())
                            instanceof CallCondition.Result.Refused refused) {
                refused.reasons()
                        .forEach(reason -> problems.add(Problem.error(
                                entry.place(),
                                "match of the budget " + entry.budget().name() + ": " + reason)));
            }
        }
        return problems;
    }

    /// @param further the same event, with what will be known of it later
    public DecisionExplanation explain(RuleSnapshot snapshot, SecurityEvent event, SecurityEvent further) {
        synchronized (turn) {
            return new Explainer(compiler()).explain(snapshot, event, further);
        }
    }

    private RuleCompiler compiler() {
        RuleCompiler made = compiler;
        if (made == null) {
            made = new RuleCompiler();
            compiler = made;
        }
        return made;
    }
}
