package dev.capsem.profiles.vocabulary;

import dev.capsem.source.Layer;
import dev.capsem.source.Place;
import java.util.Optional;

/// Whom an effective entry belongs to, and why it is as it is.
///
/// @param profile the profile whose file holds it
/// @param locked whether the person in front of the machine can change it by their own profiles
/// @param reason what a corp directive gave as its reason
public record Provenance(Layer layer, ProfileId profile, Place place, boolean locked, Optional<String> reason) {
    public Provenance lockedBecause(Optional<String> why) {
        return new Provenance(layer, profile, place, true, why.or(() -> reason));
    }

    @Override
    public String toString() {
        return layer.wireName() + " " + profile + " (" + place + ")" + (locked ? ", locked" : "");
    }
}
