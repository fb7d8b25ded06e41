package dev.capsem.profiles;

import dev.capsem.profiles.file.Directive;
import dev.capsem.profiles.file.Entry;
import dev.capsem.profiles.file.Profile;
import dev.capsem.profiles.vocabulary.ProfileId;
import dev.capsem.profiles.vocabulary.Provenance;
import dev.capsem.source.Layer;
import dev.capsem.source.Problems;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// Applies what a company does to entries, in the order written. One that cannot be met is an error: the company
/// meant something by it, and going on without would not be that.
final class CorpDirectives {
    private final ProfileId profile;
    private final Map<String, OwnedEntry> entries;
    private final Problems problems;

    /// What is settled for good.
    private final Set<String> frozen = new HashSet<>();

    private final SortedSet<String> forbidden = new TreeSet<>();

    CorpDirectives(ProfileId profile, Map<String, OwnedEntry> entries, Problems problems) {
        this.profile = profile;
        this.entries = entries;
        this.problems = problems;
    }

    /// Answers with the paths that are forbidden now.
    SortedSet<String> apply(List<Profile> payloads) {
        for (Profile payload : payloads) {
            payload.directives().stream()
                    .filter(directive -> directive.isFor(profile))
                    .forEach(directive -> apply(payload, directive));
        }
        return forbidden;
    }

    private void apply(Profile payload, Directive directive) {
        String path = directive.path();
        if (frozen.contains(path)) {
            problems.error(directive.place(), path + " was locked or forbidden by a directive before this one.");
            return;
        }
        OwnedEntry present = entries.get(path);
        switch (directive.operation()) {
            case ADD -> add(payload, directive, present);
            case REPLACE -> {
                if (isThere(directive, present)) {
                    give(payload, directive, present);
                }
            }
            case REMOVE -> {
                if (isThere(directive, present)) {
                    entries.remove(path);
                }
            }
            case LOCK -> lock(payload, directive, present);
            case FORBID -> {
                OwnedEntry removed = entries.remove(path);
                if (removed != null && removed.provenance().layer() == Layer.USER) {
                    problems.warning(removed.entry().place(), path + " is not used: your company forbids it.");
                }
                frozen.add(path);
                forbidden.add(path);
            }
        }
    }

    /// A person cannot keep their company from adding something by having taken its name.
    private void add(Profile payload, Directive directive, @Nullable OwnedEntry present) {
        if (present != null
                && present.provenance().layer() != Layer.USER
                && present.provenance().layer() != Layer.DETECTED) {
            problems.error(
                    directive.place(),
                    directive.path() + " is there already, at "
                            + present.entry().place() + "; use replace.");
            return;
        }
        give(payload, directive, present);
    }

    private void lock(Profile payload, Directive directive, @Nullable OwnedEntry present) {
        if (directive.value().isPresent()) {
            give(payload, directive, present);
        } else if (!isThere(directive, present)) {
            return;
        }
        OwnedEntry owned = Objects.requireNonNull(entries.get(directive.path()));
        entries.put(
                directive.path(),
                new OwnedEntry(owned.entry(), owned.provenance().lockedBecause(directive.reason())));
        frozen.add(directive.path());
    }

    private boolean isThere(Directive directive, @Nullable OwnedEntry present) {
        if (present == null) {
            problems.error(
                    directive.place(),
                    directive.path() + " is not there to "
                            + directive.operation().wireName() + " in " + profile
                            + "; name the profiles it is for in profiles = [...], or use forbid.");
        }
        return present != null;
    }

    private void give(Profile payload, Directive directive, @Nullable OwnedEntry present) {
        Entry value = directive.value().orElseThrow();
        noticeShadowed(present, value, problems);
        entries.put(
                directive.path(),
                new OwnedEntry(
                        value, new Provenance(Layer.CORP, payload.id(), value.place(), true, directive.reason())));
    }

    /// Tells a person that what they wrote is not what is in force.
    static void noticeShadowed(@Nullable OwnedEntry present, Entry by, Problems problems) {
        if (present != null && present.provenance().layer() == Layer.USER) {
            problems.warning(
                    present.entry().place(), by.path() + " is not used: your company has it at " + by.place() + ".");
        }
    }
}
