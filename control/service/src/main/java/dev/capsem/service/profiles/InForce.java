package dev.capsem.service.profiles;

import dev.capsem.profiles.EffectiveJson;
import dev.capsem.profiles.EffectiveProfile;
import dev.capsem.source.Problem;
import java.util.List;

/// A profile that sessions may run under.
///
/// @param revision the profile's revision; expensive to compute
/// @param json what a session's directory keeps
/// @param problems why a newer version of it is not used; empty if this is the newest
public record InForce(EffectiveProfile profile, String revision, String json, List<Problem> problems) {
    public InForce {
        problems = List.copyOf(problems);
    }

    static InForce of(EffectiveProfile profile) {
        return new InForce(profile, profile.revision(), EffectiveJson.write(profile), List.of());
    }

    InForce despite(List<Problem> newer) {
        return new InForce(profile, revision, json, newer);
    }
}
