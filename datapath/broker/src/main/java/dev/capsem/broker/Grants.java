package dev.capsem.broker;

import dev.capsem.events.security.SecurityEvent;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// All grants of a sandbox in one revision. A request asks one instance from beginning to end.
public final class Grants {
    public static final Grants NONE = new Grants(List.of());

    private final List<Held> held;
    private final PatternSet standIns;
    private final PatternSet values;
    /// Stand-ins as they would be told apart in a name of DNS or of a header: in lower case and without dots.
    private final PatternSet names;
    /// Values likewise.
    private final PatternSet valueNames;

    private Grants(List<Held> held) {
        this.held = List.copyOf(held);
        List<PatternSet.Spelling> ofStandIns = new ArrayList<>();
        List<PatternSet.Spelling> ofValues = new ArrayList<>();
        List<PatternSet.Spelling> ofNames = new ArrayList<>();
        List<PatternSet.Spelling> ofValueNames = new ArrayList<>();
        for (int i = 0; i < held.size(); i++) {
            byte[] standIn = held.get(i).placeholder().text().getBytes(StandardCharsets.US_ASCII);
            int owner = i;
            List<PatternSet.Spelling> spellings = PatternSet.spellings(owner, standIn, standIn);
            ofStandIns.addAll(spellings);
            spellings.forEach(spelling -> ofNames.add(spelling.inNames()));
            held.get(i)
                    .value()
                    .ifPresent(value -> ofValues.addAll(PatternSet.spellings(owner, value.reveal(), standIn)));
        }
        ofValues.forEach(spelling -> ofValueNames.add(spelling.inNames()));
        this.standIns = PatternSet.of(ofStandIns);
        this.values = PatternSet.of(ofValues);
        this.names = PatternSet.of(ofNames);
        this.valueNames = PatternSet.of(ofValueNames);
    }

    public static Grants of(List<Held> held) {
        if (held.isEmpty()) {
            return NONE;
        }
        Set<String> names = new HashSet<>();
        Set<String> placeholders = new HashSet<>();
        for (Held one : held) {
            if (!names.add(one.grant().name())) {
                throw new IllegalArgumentException(
                        "two grants are called " + one.grant().name());
            }
            if (!placeholders.add(one.placeholder().text())) {
                throw new IllegalArgumentException(
                        "two grants have one placeholder: " + one.grant().name());
            }
        }
        return new Grants(held);
    }

    public List<Held> held() {
        return held;
    }

    public boolean isEmpty() {
        return held.isEmpty();
    }

    /// @return none if there is nothing to look for
    public Optional<BrokeredRequest> request(SecurityEvent.HttpRequest request) {
        return isEmpty() ? Optional.empty() : Optional.of(new BrokeredRequest(this, request));
    }

    /// Of the WebSocket that this request opens.
    ///
    /// @return none if there is nothing to look for
    public Optional<BrokeredMessages> messages(SecurityEvent.HttpRequest upgrade) {
        return isEmpty() ? Optional.empty() : Optional.of(new BrokeredMessages(this, upgrade));
    }

    /// @return none if the host has no grant
    public Optional<BrokeredResponse> response(String host) {
        boolean hasGrant = held.stream().anyMatch(one -> one.grant().coversHost(host));
        return hasGrant && !values.isEmpty() ? Optional.of(new BrokeredResponse(values, valueNames)) : Optional.empty();
    }

    /// For what is recorded or shown, wherever it came from.
    public KnownValues knownValues() {
        return new KnownValues(values);
    }

    /// A stand-in in a text that no grant ever covers, such as the arguments of a tool.
    ///
    /// @param place as the record names it
    public Optional<Brokered.Leaked> leakedIn(String place, String text) {
        return standInIn(text).map(owner -> uncovered(owner, place));
    }

    /// A stand-in in a DNS name, over as many labels as it may have: servers of the domain would read it there.
    public Optional<Brokered.Leaked> leakedInName(String name) {
        return standInInName(name).map(owner -> uncovered(owner, "name"));
    }

    private Brokered.Leaked uncovered(int owner, String place) {
        return new Brokered.Leaked(held.get(owner).grant().name(), place, "no grant covers this");
    }

    List<Held> covering(SecurityEvent.HttpRequest request) {
        return held.stream().filter(one -> one.grant().covers(request)).toList();
    }

    /// Whose stand-in the text holds.
    Optional<Integer> standInIn(String text) {
        return LeakScan.in(text, standIns);
    }

    /// Whose stand-in the name of a header or of DNS holds, whatever became of its case.
    Optional<Integer> standInInName(String name) {
        return names.isLongerThan(name) ? Optional.empty() : LeakScan.in(PatternSet.inNames(name), names);
    }

    LeakScan leakScan() {
        return new LeakScan(standIns);
    }

    /// Names only.
    @Override
    public String toString() {
        return "Grants" + held.stream().map(one -> one.grant().name()).toList();
    }
}
