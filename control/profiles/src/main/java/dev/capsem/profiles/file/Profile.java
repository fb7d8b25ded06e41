package dev.capsem.profiles.file;

import dev.capsem.profiles.vocabulary.ProfileId;
import dev.capsem.profiles.vocabulary.Section;
import dev.capsem.source.SourceText;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// One profile file, checked.
///
/// @param revision counts up with every published version of a corp payload; 0 if not said
/// @param extending the profile it builds on
/// @param appliesTo the profiles a corp payload is for; all if empty
/// @param allowedProfiles the only profiles a corp payload lets people use; any if empty
/// @param warning what whoever uses this profile must be told
/// @param editable sections that this profile opens or closes
public record Profile(
        ProfileId id,
        SourceText source,
        String name,
        String description,
        long revision,
        Optional<ProfileId> extending,
        Set<ProfileId> appliesTo,
        Set<ProfileId> allowedProfiles,
        Optional<String> warning,
        Map<Section, Boolean> editable,
        List<Entry> entries,
        List<Directive> directives) {
    public Profile {
        appliesTo = Set.copyOf(appliesTo);
        allowedProfiles = Set.copyOf(allowedProfiles);
        editable = Collections.unmodifiableMap(new LinkedHashMap<>(editable));
        entries = List.copyOf(entries);
        directives = List.copyOf(directives);
    }

    public boolean appliesTo(ProfileId profile) {
        return appliesTo.isEmpty() || appliesTo.contains(profile);
    }
}
