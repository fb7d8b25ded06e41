package dev.capsem.profiles.file;

import dev.capsem.events.vocabulary.WireNamed;
import dev.capsem.profiles.vocabulary.ProfileId;
import dev.capsem.source.Place;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/// A company's change to an entry, of any layer.
///
/// @param profiles the profiles it is for; all if empty
public record Directive(
        Operation operation,
        String path,
        Optional<Entry> value,
        Optional<String> reason,
        Set<ProfileId> profiles,
        Place place) {
    public Directive {
        profiles = Set.copyOf(profiles);
    }

    /// The operations.
    public enum Operation implements WireNamed {
        /// Puts a new entry; one of that name must not be there.
        ADD,
        /// Takes an entry away; it must be there.
        REMOVE,
        /// Puts an entry in the place of one that must be there.
        REPLACE,
        /// Freezes an entry: as given, or as it is.
        LOCK,
        /// Takes an entry away, if it is there, and keeps it away.
        FORBID;

        @Override
        public String wireName() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    public boolean isFor(ProfileId profile) {
        return profiles.isEmpty() || profiles.contains(profile);
    }
}
