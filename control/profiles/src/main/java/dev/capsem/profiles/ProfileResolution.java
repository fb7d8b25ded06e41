package dev.capsem.profiles;

import dev.capsem.profiles.vocabulary.ProfileId;
import dev.capsem.source.Problem;
import java.util.List;

/// The result of merging the layers of a profile.
public sealed interface ProfileResolution {
    record Resolved(EffectiveProfile profile) implements ProfileResolution {}

    /// Nothing may run under it: a session that already does keeps its last good one.
    record Refused(ProfileId id, List<Problem> problems) implements ProfileResolution {
        public Refused {
            problems = List.copyOf(problems);
        }
    }

    record Unknown(ProfileId id, List<ProfileId> known) implements ProfileResolution {
        public Unknown {
            known = List.copyOf(known);
        }
    }
}
