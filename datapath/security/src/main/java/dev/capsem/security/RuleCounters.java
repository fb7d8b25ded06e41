package dev.capsem.security;

import dev.capsem.events.security.Envelope;
import dev.capsem.events.security.RuleId;
import dev.capsem.security.rule.Rule;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/// How often each rule of one snapshot decided. A rule that a reload leaves as it was keeps its count.
final class RuleCounters {
    private static final class Counter {
        private final Rule rule;
        private final LongAdder matches = new LongAdder();

        /// Of the last event; one reference, so that its id and its time belong together.
        private volatile @Nullable Envelope last;

        Counter(Rule rule) {
            this.rule = rule;
        }

        RuleStat stat() {
            Envelope seen = last;
            return new RuleStat(rule.id(), matches.sum(), Optional.ofNullable(seen));
        }
    }

    private final List<Rule> order;
    private final Map<RuleId, Counter> counters;

    RuleCounters(RuleSnapshot snapshot, Optional<RuleCounters> before) {
        this.order = snapshot.rules();
        this.counters = HashMap.newHashMap(order.size());
        for (Rule rule : order) {
            Optional<Counter> kept = before.map(old -> old.counters.get(rule.id()))
                    .filter(counter -> matchesTheSame(counter.rule, rule));
            counters.put(rule.id(), kept.orElseGet(() -> new Counter(rule)));
        }
    }

    void decided(RuleId rule, Envelope event) {
        Counter counter = counters.get(rule);
        if (counter != null) {
            counter.matches.increment();
            counter.last = event;
        }
    }

    /// In the order in which rules are asked.
    List<RuleStat> stats() {
        return order.stream()
                .map(rule -> Optional.ofNullable(counters.get(rule.id())))
                .flatMap(Optional::stream)
                .map(Counter::stat)
                .toList();
    }

    private static boolean matchesTheSame(Rule old, Rule rule) {
        return old.on() == rule.on()
                && old.decision() == rule.decision()
                && old.condition().text().equals(rule.condition().text());
    }
}
