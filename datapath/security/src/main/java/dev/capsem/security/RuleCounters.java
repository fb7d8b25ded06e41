package dev.capsem.security;

import dev.capsem.events.row.Finding;
import dev.capsem.events.security.Envelope;
import dev.capsem.events.security.RuleId;
import dev.capsem.security.rule.Rule;
import dev.capsem.security.sigma.Detection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/// How often each rule of one snapshot decided, and each detection found something. A rule or detection that a reload
/// leaves as it was keeps its count.
final class RuleCounters {
    /// @param <T> what is counted
    private static final class Counter<T> {
        private final T counted;
        private final LongAdder matches = new LongAdder();

        /// Of the last event; one reference, so that its id and its time belong together.
        private volatile @Nullable Envelope last;

        Counter(T counted) {
            this.counted = counted;
        }

        /// An event that is judged once more, now that its name is resolved, counts once.
        void add(Envelope event) {
            Envelope before = last;
            if (before != null && before.id().equals(event.id())) {
                return;
            }
            matches.increment();
            last = event;
        }

        Optional<Envelope> last() {
            return Optional.ofNullable(last);
        }
    }

    private final List<Rule> order;
    private final List<Detection> watchers;
    private final Map<RuleId, Counter<Rule>> counters;
    private final Map<String, Counter<Detection>> finders;

    RuleCounters(RuleSnapshot snapshot, Optional<RuleCounters> before) {
        this.order = snapshot.rules();
        this.watchers = snapshot.detections();
        this.counters = HashMap.newHashMap(order.size());
        this.finders = HashMap.newHashMap(watchers.size());
        for (Rule rule : order) {
            Optional<Counter<Rule>> kept = before.map(old -> old.counters.get(rule.id()))
                    .filter(counter -> matchesTheSame(counter.counted, rule));
            counters.put(rule.id(), kept.orElseGet(() -> new Counter<>(rule)));
        }
        for (Detection detection : watchers) {
            Optional<Counter<Detection>> kept = before.map(old -> old.finders.get(detection.id()))
                    .filter(counter -> counter.counted.text().equals(detection.text()));
            finders.put(detection.id(), kept.orElseGet(() -> new Counter<>(detection)));
        }
    }

    void decided(RuleId rule, Envelope event) {
        Counter<Rule> counter = counters.get(rule);
        if (counter != null) {
            counter.add(event);
        }
    }

    void found(List<Finding> findings, Envelope event) {
        for (Finding finding : findings) {
            Counter<Detection> counter = finders.get(finding.ruleId());
            if (counter != null) {
                counter.add(event);
            }
        }
    }

    /// In the order in which rules are asked.
    List<RuleStat> stats() {
        return order.stream()
                .map(rule -> Optional.ofNullable(counters.get(rule.id())))
                .flatMap(Optional::stream)
                .map(counter -> new RuleStat(counter.counted.id(), counter.matches.sum(), counter.last()))
                .toList();
    }

    List<DetectionStat> detectionStats() {
        return watchers.stream()
                .map(detection -> Optional.ofNullable(finders.get(detection.id())))
                .flatMap(Optional::stream)
                .map(counter -> new DetectionStat(
                        counter.counted.id(), counter.counted.packId(), counter.matches.sum(), counter.last()))
                .toList();
    }

    private static boolean matchesTheSame(Rule old, Rule rule) {
        return old.on() == rule.on()
                && old.decision() == rule.decision()
                && old.condition().text().equals(rule.condition().text());
    }
}
