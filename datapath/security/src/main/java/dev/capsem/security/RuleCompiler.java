package dev.capsem.security;

import dev.capsem.events.security.RuleId;
import dev.capsem.events.vocabulary.EventType;
import dev.capsem.security.condition.compile.ConditionCompiler;
import dev.capsem.security.rule.Expectation;
import dev.capsem.security.rule.Rule;
import dev.capsem.security.rule.RuleFile;
import dev.capsem.security.rule.RuleReader;
import dev.capsem.security.sigma.Detection;
import dev.capsem.security.sigma.DetectionSource;
import dev.capsem.security.sigma.SigmaReader;
import dev.capsem.source.Layer;
import dev.capsem.source.Problem;
import dev.capsem.source.SourceText;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// Makes snapshots of sources. All or nothing: one bad rule rejects them all, and whoever holds the last good
/// snapshot keeps it. Keep one compiler: building CEL's environment is the slow part.
public final class RuleCompiler {
    /// Sources kept at most, and how long one may be to be kept.
    private static final int KEPT_MAX = 32;

    private static final int KEPT_CHARS_MAX = 256 * 1024;

    private final RuleReader reader = new RuleReader(new ConditionCompiler());
    private final SigmaReader sigma = new SigmaReader();

    /// Cached sources, the least recently used first. Reading is nearly all the work, and a change of rules
    /// changes one source of many.
    /// Guarded by itself.
    private final Map<SourceText, RuleFile> kept = new LinkedHashMap<>(16, 0.75f, true);

    /// The result of compiling.
    public sealed interface Result {
        /// @param warnings what the lint found
        record Compiled(RuleSnapshot snapshot, List<Problem> warnings) implements Result {
            public Compiled {
                warnings = List.copyOf(warnings);
            }
        }

        /// @param problems all of them, by source and place
        record Rejected(List<Problem> problems) implements Result {
            public Rejected {
                problems = List.copyOf(problems);
            }
        }
    }

    public Result compile(List<SourceText> sources) {
        return compile(sources, List.of());
    }

    public Result compile(List<SourceText> sources, List<DetectionSource> packs) {
        List<Rule> rules = new ArrayList<>();
        List<Expectation> expectations = new ArrayList<>();
        List<Detection> detections = new ArrayList<>();
        List<Problem> problems = new ArrayList<>();
        for (SourceText source : sources) {
            RuleFile file = read(source);
            rules.addAll(file.rules());
            expectations.addAll(file.expectations());
            problems.addAll(file.problems());
        }
        for (DetectionSource pack : packs) {
            SigmaReader.Read read = sigma.read(pack);
            detections.addAll(read.detections());
            problems.addAll(read.problems());
        }
        problems.addAll(duplicates(rules));
        if (problems.stream().anyMatch(Problem::isError)) {
            return new Result.Rejected(problems);
        }
        RuleSnapshot snapshot = new RuleSnapshot(rules, detections, expectations);
        problems.addAll(RuleLint.warnings(snapshot));
        return new Result.Compiled(snapshot, problems);
    }

    private RuleFile read(SourceText source) {
        if (source.text().length() > KEPT_CHARS_MAX) {
            return reader.read(source);
        }
        synchronized (kept) {
            RuleFile file = kept.computeIfAbsent(source, reader::read);
            if (kept.size() > KEPT_MAX) {
                kept.remove(kept.keySet().iterator().next());
            }
            return file;
        }
    }

    private static List<Problem> duplicates(List<Rule> rules) {
        List<Problem> problems = new ArrayList<>();
        Map<RuleId, Rule> seen = new HashMap<>();
        Map<EventType, Rule> catchAlls = new EnumMap<>(EventType.class);
        for (Rule rule : rules) {
            Rule first = seen.putIfAbsent(rule.id(), rule);
            if (first != null) {
                problems.add(Problem.error(rule.place(), rule.id() + " is already at " + first.place() + "."));
            }
            Rule catchAll = rule.priority() == Layer.CATCH_ALL ? catchAlls.putIfAbsent(rule.on(), rule) : null;
            if (catchAll != null) {
                problems.add(Problem.error(
                        rule.place(), rule.on().wireName() + " already has a catch-all at " + catchAll.place() + "."));
            }
        }
        return problems;
    }
}
