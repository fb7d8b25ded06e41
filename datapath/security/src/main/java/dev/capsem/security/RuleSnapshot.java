package dev.capsem.security;

import dev.capsem.events.security.RuleId;
import dev.capsem.events.vocabulary.EventType;
import dev.capsem.security.condition.Meter;
import dev.capsem.security.rule.Expectation;
import dev.capsem.security.rule.Rule;
import dev.capsem.security.schema.Schema;
import dev.capsem.security.sigma.Detection;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// All rules and detections in force at one moment. Immutable: a reload makes a new one.
public final class RuleSnapshot {
    private final List<Rule> rules;
    private final List<Detection> detections;
    private final List<Expectation> expectations;
    private final Map<EventType, RuleIndex> indexes = new EnumMap<>(EventType.class);
    private final Map<EventType, List<Detection>> watchers = new EnumMap<>(EventType.class);
    private final Map<EventType, List<Meter>> meters = new EnumMap<>(EventType.class);
    private final boolean speaksOfAddresses;
    private final Set<EventType> aboutUrls = EnumSet.noneOf(EventType.class);
    private final Set<EventType> aboutBodies = EnumSet.noneOf(EventType.class);
    private final RuleIndex nothing = new RuleIndex(List.of());

    /// Requires: rules with different ids.
    RuleSnapshot(List<Rule> rules, List<Detection> detections, List<Expectation> expectations) {
        this.rules = rules.stream().sorted(Rule.ORDER).toList();
        this.detections = List.copyOf(detections);
        this.expectations = List.copyOf(expectations);
        this.speaksOfAddresses = this.rules.stream().anyMatch(rule -> rule.speaksOfAddresses() && !InsideOnly.is(rule))
                || detections.stream()
                        .flatMap(detection -> detection.reads().stream())
                        .anyMatch(Schema.ADDRESS_FIELDS::contains);
        this.rules.stream().filter(Rule::speaksOfUrls).map(Rule::on).forEach(aboutUrls::add);
        detections.stream()
                .filter(detection -> detection.reads().stream().anyMatch(Schema.URL_FIELDS::contains))
                .forEach(detection -> aboutUrls.addAll(detection.on()));
        this.rules.stream().filter(Rule::speaksOfBodies).map(Rule::on).forEach(aboutBodies::add);
        detections.stream()
                .filter(detection -> detection.reads().stream().anyMatch(Schema.BODY_FIELDS::contains))
                .forEach(detection -> aboutBodies.addAll(detection.on()));
        for (EventType type : Schema.JUDGED) {
            indexes.put(
                    type,
                    new RuleIndex(this.rules.stream()
                            .filter(rule -> rule.on() == type)
                            .toList()));
            meters.put(
                    type,
                    this.rules.stream()
                            .filter(rule -> rule.on() == type)
                            .flatMap(rule -> rule.condition().facts().meters().stream())
                            .distinct()
                            .toList());
            watchers.put(
                    type,
                    detections.stream()
                            .filter(detection -> detection.on().contains(type))
                            .toList());
        }
    }

    /// Whether a public address may change what is decided.
    boolean speaksOfAddresses() {
        return speaksOfAddresses;
    }

    /// Whether it matters how a server understands the path of such an event.
    boolean speaksOfUrls(EventType type) {
        return aboutUrls.contains(type);
    }

    /// Whether it matters how the body of such an event is read.
    boolean speaksOfBodies(EventType type) {
        return aboutBodies.contains(type);
    }

    /// Whether this rule reads or changes the text of a body.
    boolean isAboutBodies(Optional<RuleId> id) {
        return id.flatMap(this::rule).filter(Rule::speaksOfBodies).isPresent();
    }

    /// In the order in which they are asked.
    public List<Rule> rules() {
        return rules;
    }

    public List<Rule> rules(EventType on) {
        return index(on).rules();
    }

    public Optional<Rule> rule(RuleId id) {
        return rules.stream().filter(rule -> rule.id().equals(id)).findFirst();
    }

    public List<Detection> detections() {
        return detections;
    }

    /// The expectations of the rules' authors.
    public List<Expectation> expectations() {
        return expectations;
    }

    /// The same, with one more rule.
    public RuleSnapshot with(Rule rule) {
        List<Rule> more = new ArrayList<>(rules);
        more.add(rule);
        return new RuleSnapshot(more, detections, expectations);
    }

    RuleIndex index(EventType on) {
        return indexes.getOrDefault(on, nothing);
    }

    /// The meters of the rules on that event.
    List<Meter> meters(EventType on) {
        return meters.getOrDefault(on, List.of());
    }

    List<Meter> meters() {
        return meters.values().stream().flatMap(List::stream).toList();
    }

    List<Detection> watchers(EventType on) {
        return watchers.getOrDefault(on, List.of());
    }
}
