package dev.capsem.service.profiles;

import dev.capsem.events.security.SecurityEvent;
import dev.capsem.profiles.EffectiveProfile;
import dev.capsem.profiles.vocabulary.Layer;
import dev.capsem.profiles.vocabulary.Place;
import dev.capsem.profiles.vocabulary.Problem;
import dev.capsem.profiles.vocabulary.SourceText;
import dev.capsem.security.RuleCompiler;
import dev.capsem.security.RuleSnapshot;
import dev.capsem.security.explain.Explainer;
import dev.capsem.security.explain.Explanation;
import dev.capsem.security.rule.RuleSource;
import dev.capsem.security.sigma.DetectionSource;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The rule compiler of this process, made when it is first needed: a service that only starts sandboxes under
/// built-in profiles never pays for it.
public final class Rulebook {
    /// Guards the compiler, which is not made for two callers at once.
    private final Object turn = new Object();

    private @Nullable RuleCompiler compiler;

    public RuleCompiler.Result compile(List<RuleSource> sources, List<DetectionSource> packs) {
        synchronized (turn) {
            return compiler().compile(sources, packs);
        }
    }

    /// @param further the same event, with what will be known of it later
    public Explanation explain(RuleSnapshot snapshot, SecurityEvent event, SecurityEvent further) {
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

    /// The rules of a profile as the engine reads them.
    public static List<RuleSource> sources(EffectiveProfile profile) {
        List<RuleSource> sources = new ArrayList<>();
        for (SourceText source : profile.ruleSources()) {
            sources.add(new RuleSource(source.file(), layer(source.layer()), source.text()));
        }
        return sources;
    }

    private static dev.capsem.security.rule.Layer layer(Layer layer) {
        return switch (layer) {
            case CORP -> dev.capsem.security.rule.Layer.CORP;
            case DERIVED -> dev.capsem.security.rule.Layer.DERIVED;
            case USER, BUILT_IN, DETECTED -> dev.capsem.security.rule.Layer.PROFILE;
        };
    }

    static List<Problem> problems(List<dev.capsem.security.rule.Problem> problems) {
        return problems.stream()
                .map(problem -> new Problem(
                        new Place(
                                problem.place().source(),
                                problem.place().line(),
                                problem.place().column()),
                        problem.isError() ? Problem.Weight.ERROR : Problem.Weight.WARNING,
                        problem.message()))
                .toList();
    }
}
