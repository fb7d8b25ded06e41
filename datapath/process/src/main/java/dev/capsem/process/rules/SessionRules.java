package dev.capsem.process.rules;

import dev.capsem.events.security.RuleId;
import dev.capsem.events.security.SecurityEvent;
import dev.capsem.profiles.EffectiveProfile;
import dev.capsem.security.RuleCompiler;
import dev.capsem.security.RuleSnapshot;
import dev.capsem.security.SecurityEngine;
import dev.capsem.security.explain.DecisionExplanation.Remedy;
import dev.capsem.security.explain.Explainer;
import dev.capsem.security.schema.Field;
import dev.capsem.source.Problem;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The Security Engine of this process, and where its rules come from. Safe for many threads; events are judged while
/// rules are read.
public final class SessionRules {
    private final SecurityEngine engine = new SecurityEngine();
    private volatile Loading last = new Loading.Refused(List.of("no rules have been read yet"));

    /// Guards everything below: one compilation at a time.
    private final ReentrantLock lock = new ReentrantLock();

    /// Made when first needed: building CEL's environment is the slow part.
    private @Nullable RuleCompiler compiler;

    /// The newest compilation, so that a session whose rules a spare has compiled gets them at once.
    private @Nullable Compilation newest;

    private record Compilation(String digest, RuleCompiler.Result.Compiled compiled) {}

    /// How it stands with the rules.
    public sealed interface Loading {
        /// @param revision of the profile
        /// @param rules how many are in force
        record InForce(String revision, int rules, List<String> warnings) implements Loading {
            public InForce {
                warnings = List.copyOf(warnings);
            }
        }

        /// @param problems with their places, where they have any
        record Refused(List<String> problems) implements Loading {
            public Refused {
                problems = List.copyOf(problems);
            }
        }
    }

    public SecurityEngine engine() {
        return engine;
    }

    /// Compiles the profile's rules, with those that were added to the session, and puts them in force. What cannot be
    /// put in force changes nothing. Never throws.
    public Loading load(EffectiveProfile profile, Path sessionDir) {
        lock.lock();
        try {
            return stands(attempt(profile, sessionDir));
        } finally {
            lock.unlock();
        }
    }

    /// There is no profile to take rules from. That changes nothing either.
    public Loading unreadable(String reason) {
        return stands(new Loading.Refused(List.of(reason)));
    }

    private Loading stands(Loading loading) {
        if (loading instanceof Loading.InForce || engine.snapshot().isEmpty()) {
            last = loading;
        }
        return loading;
    }

    /// Compiles a profile that a session will probably have, or else a few rules of our own, so that the compiler is
    /// there and warm. Puts nothing in force.
    public void prepare(Path effectiveProfile) {
        lock.lock();
        try {
            switch (RuleSources.ofProfile(effectiveProfile)) {
                case RuleSources.Read.Found(RuleSources sources) -> compile(sources);
                case RuleSources.Read.Unreadable _ -> compiler().compile(WarmUpRules.SOURCES);
            }
            newest().ifPresent(WarmUpRules::judge);
        } finally {
            lock.unlock();
        }
    }

    /// Why nothing is in force, if nothing is.
    public Optional<String> problem() {
        return engine.snapshot().isEmpty() && last instanceof Loading.Refused(List<String> problems)
                ? Optional.of(String.join("; ", problems))
                : Optional.empty();
    }

    public int size() {
        return engine.snapshot().map(snapshot -> snapshot.rules().size()).orElse(0);
    }

    /// A rule that would allow this event from now on.
    public Remedy remedy(SecurityEvent event, Optional<RuleId> decider) {
        Optional<RuleSnapshot> snapshot = engine.snapshot();
        if (snapshot.isEmpty()) {
            return new Remedy.NotYours("no valid rules are loaded");
        }
        lock.lock();
        try {
            return new Explainer(compiler()).remedy(snapshot.get(), event, decider);
        } finally {
            lock.unlock();
        }
    }

    /// The paths of the fields that a rule reads; empty if it is not in force any more.
    public Optional<Set<String>> reads(RuleId id) {
        return engine.snapshot()
                .flatMap(snapshot -> snapshot.rule(id))
                .map(rule -> rule.condition().facts().reads().stream()
                        .map(Field::path)
                        .collect(Collectors.toUnmodifiableSet()));
    }

    /// Puts on the process's own log how it stands.
    public void log() {
        switch (last) {
            case Loading.InForce(String revision, int rules, List<String> warnings) ->
                logger().atInfo()
                        .addKeyValue("revision", revision)
                        .addKeyValue("rules", rules)
                        .addKeyValue("warnings", warnings.size())
                        .log("rules.loaded");
            case Loading.Refused(List<String> problems) ->
                logger().atError().addKeyValue("problems", problems).log("rules.refused");
        }
    }

    private Loading attempt(EffectiveProfile profile, Path sessionDir) {
        try {
            return switch (RuleSources.of(profile, sessionDir)) {
                case RuleSources.Read.Unreadable(String reason) -> new Loading.Refused(List.of(reason));
                case RuleSources.Read.Found(RuleSources sources) ->
                    switch (compile(sources)) {
                        case RuleCompiler.Result.Rejected(List<Problem> problems) ->
                            new Loading.Refused(problems.stream()
                                    .filter(Problem::isError)
                                    .map(Problem::toString)
                                    .toList());
                        case RuleCompiler.Result.Compiled(RuleSnapshot snapshot, List<Problem> warnings) -> {
                            engine.replace(snapshot, sources.revision());
                            yield new Loading.InForce(
                                    sources.revision(),
                                    snapshot.rules().size(),
                                    warnings.stream().map(Problem::toString).toList());
                        }
                    };
            };
        } catch (RuntimeException bug) {
            // Whoever waits for the rules must learn that there are none.
            logger().atError().setCause(bug).log("rules.failed");
            return new Loading.Refused(
                    List.of("reading the rules failed: " + bug.getClass().getSimpleName()));
        }
    }

    private RuleCompiler.Result compile(RuleSources sources) {
        String digest = sources.digest();
        Compilation before = newest;
        if (before != null && before.digest().equals(digest)) {
            return before.compiled();
        }
        RuleCompiler.Result result = compiler().compile(sources.rules(), sources.detections());
        if (result instanceof RuleCompiler.Result.Compiled compiled) {
            newest = new Compilation(digest, compiled);
        }
        return result;
    }

    private Optional<RuleSnapshot> newest() {
        Compilation compilation = newest;
        return compilation == null
                ? Optional.empty()
                : Optional.of(compilation.compiled().snapshot());
    }

    private RuleCompiler compiler() {
        RuleCompiler made = compiler == null ? new RuleCompiler() : compiler;
        compiler = made;
        return made;
    }

    /// Asked for only when there is something to say: setting up the logging library is slower than starting a sandbox.
    private static Logger logger() {
        return LoggerFactory.getLogger(SessionRules.class);
    }
}
