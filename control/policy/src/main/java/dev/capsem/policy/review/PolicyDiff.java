package dev.capsem.policy.review;

import dev.capsem.policy.ir.Element;
import dev.capsem.policy.ir.Policy;
import dev.capsem.policy.manifest.Grant;
import dev.capsem.source.json.JsonValue;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/// Compares two manifests by what they grant, not by their text, and says which tool and string made the difference.
public record PolicyDiff(Comparison comparison, List<Change> changes) {
    public enum Comparison {
        EQUAL,
        NARROWED,
        WIDENED,
        /// Some grants were added and others taken away.
        MIXED;

        public String word() {
            return name().toLowerCase(Locale.ROOT);
        }

        public boolean isWider() {
            return this == WIDENED || this == MIXED;
        }
    }

    public enum Direction {
        WIDENED("capgate/diff-widened", ReviewLevel.ERROR),
        NARROWED("capgate/diff-narrowed", ReviewLevel.NOTE);

        private final String ruleId;
        private final ReviewLevel severity;

        Direction(String ruleId, ReviewLevel severity) {
            this.ruleId = ruleId;
            this.severity = severity;
        }

        public String word() {
            return name().toLowerCase(Locale.ROOT);
        }

        public String ruleId() {
            return ruleId;
        }
    }

    /// One capability that only one side grants. The finding points into the manifest that declares it.
    public record Change(Direction direction, ReviewFinding finding) {
        public JsonValue toJson() {
            return JsonValue.members()
                    .put("direction", direction.word())
                    .putAll(finding.toJson())
                    .build();
        }
    }

    /// One side of a comparison.
    public record Side(List<Grant> grants, Policy policy) {
        public Side {
            grants = List.copyOf(grants);
        }
    }

    public PolicyDiff {
        changes = List.copyOf(changes);
    }

    public static PolicyDiff between(Side before, Side after) {
        List<Change> changes = new ArrayList<>();
        Containment old = new Containment(before.policy());
        Containment now = new Containment(after.policy());
        after.grants().stream()
                .filter(grant -> !old.grants(grant.capability()))
                .forEach(grant ->
                        changes.add(change(Direction.WIDENED, grant, "is new: the old manifest does not grant it")));
        before.grants().stream()
                .filter(grant -> !now.grants(grant.capability()))
                .forEach(grant ->
                        changes.add(change(Direction.NARROWED, grant, "is gone: the new manifest does not grant it")));
        compareAssertions(before.policy(), after.policy(), changes);
        if (before.policy().nestedSandbox() != after.policy().nestedSandbox()) {
            boolean turnedOn = after.policy().nestedSandbox();
            changes.add(change(
                    turnedOn ? Direction.WIDENED : Direction.NARROWED,
                    "nestedSandbox",
                    "nested sandbox is turned " + (turnedOn ? "on" : "off") + ": namespaces of the host are "
                            + (turnedOn ? "shared" : "no longer shared")));
        }
        return new PolicyDiff(comparison(changes), changes);
    }

    /// A promise that is gone, or says something else, is one promise less.
    private static void compareAssertions(Policy before, Policy after, List<Change> changes) {
        for (Element.Assertion old : before.assertions()) {
            Optional<Element.Assertion> now = find(after, old.id());
            if (now.isEmpty()) {
                changes.add(change(Direction.WIDENED, old.print(), "assertion '" + old.id() + "' was dropped"));
            } else if (!now.get().description().equals(old.description())) {
                changes.add(change(
                        Direction.WIDENED,
                        now.get().print(),
                        "assertion '" + old.id() + "' was reworded; read it again"));
            }
        }
        after.assertions().stream()
                .filter(claim -> find(before, claim.id()).isEmpty())
                .forEach(claim -> changes.add(
                        change(Direction.NARROWED, claim.print(), "assertion '" + claim.id() + "' was added")));
    }

    private static Optional<Element.Assertion> find(Policy policy, String id) {
        return policy.assertions().stream()
                .filter(assertion -> assertion.id().equals(id))
                .findFirst();
    }

    private static Change change(Direction direction, Grant grant, String text) {
        return new Change(
                direction,
                new ReviewFinding(
                        direction.ruleId,
                        direction.severity,
                        "'" + grant.declared().text() + "' of " + grant.owner() + " " + text,
                        grant.declared().text(),
                        grant.owner(),
                        grant.declared().location()));
    }

    private static Change change(Direction direction, String subject, String text) {
        return new Change(
                direction,
                new ReviewFinding(direction.ruleId, direction.severity, text, subject, "the server", Optional.empty()));
    }

    private static Comparison comparison(List<Change> changes) {
        boolean wider = changes.stream().anyMatch(change -> change.direction() == Direction.WIDENED);
        boolean narrower = changes.stream().anyMatch(change -> change.direction() == Direction.NARROWED);
        if (wider && narrower) {
            return Comparison.MIXED;
        }
        return wider ? Comparison.WIDENED : narrower ? Comparison.NARROWED : Comparison.EQUAL;
    }

    public JsonValue.Members toJson() {
        return JsonValue.members()
                .put("comparison", comparison.word())
                .put("changes", JsonValue.items(changes, Change::toJson))
                .build();
    }
}
