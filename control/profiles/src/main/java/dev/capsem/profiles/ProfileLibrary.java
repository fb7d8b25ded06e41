package dev.capsem.profiles;

import dev.capsem.profiles.file.Profile;
import dev.capsem.profiles.file.ProfileReader;
import dev.capsem.profiles.file.Reading;
import dev.capsem.profiles.vocabulary.ProfileId;
import dev.capsem.source.Layer;
import dev.capsem.source.Place;
import dev.capsem.source.Problem;
import dev.capsem.source.Problems;
import dev.capsem.source.SourceText;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/// All layers of one moment. Immutable: a reload makes a new one.
///
/// @param user by the name of the file; one that cannot be read stays here with its problems, so that whoever
/// asks for it is refused rather than given something else
/// @param chosen the profile of sessions that name none
public record ProfileLibrary(
        Map<ProfileId, Profile> builtIn,
        Map<ProfileId, Reading> user,
        CorpLayer corp,
        DetectedEntries detected,
        ProfileId chosen) {
    /// Deeper chains are mistakes.
    static final int EXTENDS_MAX = 8;

    public ProfileLibrary {
        builtIn = Collections.unmodifiableSortedMap(new TreeMap<>(builtIn));
        user = Collections.unmodifiableSortedMap(new TreeMap<>(user));
    }

    /// One line of `capsem profiles list`.
    ///
    /// @param problems why it cannot be used; warnings do not count
    public record Summary(
            ProfileId id,
            String name,
            String description,
            Set<Layer> layers,
            boolean isChosen,
            List<Problem> problems) {
        public Summary {
            layers = Set.copyOf(layers);
            problems = List.copyOf(problems);
        }
    }

    public List<ProfileId> ids() {
        Set<ProfileId> ids = new TreeSet<>(builtIn.keySet());
        ids.addAll(user.keySet());
        return List.copyOf(ids);
    }

    public List<Summary> list() {
        List<Summary> summaries = new ArrayList<>();
        for (ProfileId id : ids()) {
            Set<Layer> layers = new TreeSet<>();
            Optional<Profile> shown = Optional.ofNullable(builtIn.get(id));
            shown.ifPresent(_ -> layers.add(Layer.BUILT_IN));
            if (user.containsKey(id)) {
                layers.add(Layer.USER);
            }
            Optional<Profile> beneath = shown;
            if (user.get(id) instanceof Reading.Valid valid) {
                shown = Optional.of(valid.profile());
            }
            List<Problem> problems =
                    resolve(id) instanceof ProfileResolution.Refused refused ? refused.problems() : List.of();
            summaries.add(new Summary(
                    id,
                    shown.map(Profile::name).orElse(id.value()),
                    described(shown).or(() -> described(beneath)).orElse(""),
                    layers,
                    id.equals(chosen),
                    problems));
        }
        return summaries;
    }

    /// A file that only adds rules to a built-in profile need not describe it again.
    private static Optional<String> described(Optional<Profile> profile) {
        return profile.map(Profile::description).filter(text -> !text.isBlank());
    }

    public ProfileResolution resolve(ProfileId id) {
        if (!ids().contains(id)) {
            return new ProfileResolution.Unknown(id, ids());
        }
        Problems problems = new Problems();
        problems.addAll(corp.problems());
        corp.payloads().stream()
                .filter(payload -> !payload.allowedProfiles().isEmpty())
                .filter(payload -> !payload.allowedProfiles().contains(id))
                .forEach(payload -> problems.error(
                        Place.start(payload.source().file()),
                        "your company does not allow the profile " + id + "; it allows "
                                + String.join(
                                        ", ",
                                        new TreeSet<>(payload.allowedProfiles().stream()
                                                .map(ProfileId::value)
                                                .toList()))
                                + "."));
        List<Profile> chain = chain(id, problems);
        if (problems.hasErrors()) {
            return new ProfileResolution.Refused(id, problems.list());
        }
        ProfileResolution merged = new ProfileMerge(id, chain, corp.payloads(), detected).merge();
        return merged instanceof ProfileResolution.Resolved resolved
                        && !problems.list().isEmpty()
                ? new ProfileResolution.Resolved(withNotices(resolved.profile(), problems.list()))
                : merged;
    }

    /// What would come of a file if it were in force: one resolution for each profile it takes part in. Nothing is
    /// kept; signatures are not asked for.
    ///
    /// Requires: a text of the user or corp layer.
    public Validation validate(SourceText text) {
        Reading reading = ProfileReader.read(text);
        if (!(reading instanceof Reading.Valid valid)) {
            return new Validation(reading.problems(), List.of());
        }
        ProfileLibrary tried = with(valid);
        List<ProfileResolution> resolutions = new ArrayList<>();
        for (ProfileId id : tried.ids()) {
            boolean takesPart = text.layer() == Layer.CORP
                    ? valid.profile().appliesTo(id)
                    : id.equals(valid.profile().id());
            if (takesPart) {
                resolutions.add(tried.resolve(id));
            }
        }
        return new Validation(reading.problems(), resolutions);
    }

    /// @param problems of the file alone
    public record Validation(List<Problem> problems, List<ProfileResolution> resolutions) {
        public Validation {
            problems = List.copyOf(problems);
            resolutions = List.copyOf(resolutions);
        }

        public boolean isValid() {
            return problems.stream().noneMatch(Problem::isError)
                    && resolutions.stream().allMatch(ProfileResolution.Resolved.class::isInstance);
        }
    }

    private ProfileLibrary with(Reading.Valid valid) {
        ProfileId id = valid.profile().id();
        if (valid.profile().source().layer() == Layer.CORP) {
            List<Profile> payloads = new ArrayList<>(corp.payloads());
            payloads.removeIf(payload -> payload.id().equals(id));
            payloads.add(valid.profile());
            return new ProfileLibrary(builtIn, user, new CorpLayer(payloads, List.of()), detected, chosen);
        }
        Map<ProfileId, Reading> readings = new TreeMap<>(user);
        readings.put(id, valid);
        return new ProfileLibrary(builtIn, readings, corp, detected, chosen);
    }

    private static EffectiveProfile withNotices(EffectiveProfile profile, List<Problem> more) {
        List<Problem> notices = new ArrayList<>(more);
        notices.addAll(profile.notices());
        return new EffectiveProfile(
                profile.id(),
                profile.name(),
                profile.layers(),
                profile.entries(),
                profile.editable(),
                profile.forbidden(),
                profile.warnings(),
                notices);
    }

    /// The files of a profile and of those it extends, root first.
    private List<Profile> chain(ProfileId id, Problems problems) {
        List<Profile> chain = new ArrayList<>();
        Set<ProfileId> seen = new HashSet<>();
        Optional<ProfileId> next = Optional.of(id);
        while (next.isPresent()) {
            ProfileId at = next.get();
            if (!seen.add(at) || seen.size() > EXTENDS_MAX) {
                problems.error(
                        Place.start(chain.getFirst().source().file()),
                        "the profiles that " + id + " extends go in a circle or deeper than " + EXTENDS_MAX + ".");
                return chain;
            }
            List<Profile> files = files(at, problems);
            if (files.isEmpty() && !problems.hasErrors()) {
                problems.error(
                        Place.start(chain.getFirst().source().file()),
                        "it extends " + at + ", and there is no such profile. Known: " + ids() + ".");
            }
            if (problems.hasErrors()) {
                return chain;
            }
            chain.addAll(0, files);
            next = files.reversed().stream()
                    .flatMap(file -> file.extending().stream())
                    .findFirst();
        }
        return chain;
    }

    private List<Profile> files(ProfileId id, Problems problems) {
        List<Profile> files = new ArrayList<>();
        Optional.ofNullable(builtIn.get(id)).ifPresent(files::add);
        Reading reading = user.get(id);
        if (reading != null) {
            problems.addAll(reading.problems());
        }
        if (reading instanceof Reading.Valid valid) {
            files.add(valid.profile());
        }
        return files;
    }
}
