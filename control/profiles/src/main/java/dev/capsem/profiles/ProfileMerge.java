package dev.capsem.profiles;

import dev.capsem.profiles.file.Directive;
import dev.capsem.profiles.file.Entry;
import dev.capsem.profiles.file.Entry.RuleEntry;
import dev.capsem.profiles.file.Entry.ServerEntry;
import dev.capsem.profiles.file.Entry.SettingEntry;
import dev.capsem.profiles.file.Profile;
import dev.capsem.profiles.file.Setting;
import dev.capsem.profiles.vocabulary.ProfileId;
import dev.capsem.profiles.vocabulary.Provenance;
import dev.capsem.profiles.vocabulary.Section;
import dev.capsem.source.Layer;
import dev.capsem.source.Problems;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;

/// Merges the layers of one profile. Of two entries with one name the more trusted layer's stands, and within
/// a layer that of the profile nearest to the chosen one. Whatever a person wrote that does not take effect
/// is a notice.
final class ProfileMerge {
    private final ProfileId id;
    private final List<Profile> chain;
    private final List<Profile> corp;
    private final DetectedEntries detected;
    private final Problems problems = new Problems();
    private final Map<Section, Boolean> editable = new EnumMap<>(Section.class);
    private final SortedMap<String, OwnedEntry> entries = new TreeMap<>();

    /// What directives lock as the built-in profile has it; a person's entry must not get in between.
    private final Set<String> lockedAsIs = new HashSet<>();

    /// @param chain the profile and those it extends, root first; built-in before user where both have a name
    ProfileMerge(ProfileId id, List<Profile> chain, List<Profile> corp, DetectedEntries detected) {
        this.id = id;
        this.chain = List.copyOf(chain);
        this.corp = corp.stream().filter(payload -> payload.appliesTo(id)).toList();
        this.detected = detected;
    }

    ProfileResolution merge() {
        readEditable();
        readLocks();
        of(Layer.BUILT_IN).forEach(this::putBuiltIn);
        of(Layer.USER).forEach(this::putUser);
        corp.forEach(this::putCorp);
        putDetected();
        SortedSet<String> forbidden = new CorpDirectives(id, entries, problems).apply(corp);
        keepOneCatchAllPerEvent();
        new GrantConflicts(entries, problems).settle();
        DerivedRules.of(entries.values())
                .forEach(owned -> entries.put(owned.entry().path(), owned));
        if (problems.hasErrors()) {
            return new ProfileResolution.Refused(id, problems.list());
        }
        return new ProfileResolution.Resolved(new EffectiveProfile(
                id, chain.getLast().name(), layers(), entries, editable, forbidden, warnings(), problems.list()));
    }

    private List<Profile> of(Layer layer) {
        return chain.stream()
                .filter(profile -> profile.source().layer() == layer)
                .toList();
    }

    private List<String> layers() {
        List<String> layers = new ArrayList<>();
        chain.forEach(profile -> layers.add(describe(profile)));
        corp.forEach(profile -> layers.add(describe(profile)));
        return layers;
    }

    private static String describe(Profile profile) {
        String revision = profile.revision() > 0 ? " revision " + profile.revision() : "";
        return profile.source().layer().wireName() + " " + profile.id() + revision + " ("
                + profile.source().file() + ")";
    }

    private List<String> warnings() {
        List<String> warnings = new ArrayList<>();
        chain.forEach(profile -> profile.warning().ifPresent(warnings::add));
        corp.forEach(profile -> profile.warning().ifPresent(warnings::add));
        return warnings;
    }

    /// A section that one of them closes stays closed.
    private void readEditable() {
        for (Section section : Section.values()) {
            boolean isOpen = true;
            for (Profile profile : chain) {
                isOpen &= profile.editable().getOrDefault(section, true);
            }
            for (Profile payload : corp) {
                isOpen &= payload.editable().getOrDefault(section, true);
            }
            editable.put(section, isOpen);
        }
    }

    private void readLocks() {
        for (Profile payload : corp) {
            payload.directives().stream()
                    .filter(directive -> directive.isFor(id))
                    .filter(directive -> directive.operation() == Directive.Operation.LOCK)
                    .filter(directive -> directive.value().isEmpty())
                    .forEach(directive -> lockedAsIs.add(directive.path()));
        }
    }

    private boolean isOpen(Section section) {
        return editable.getOrDefault(section, false);
    }

    private void putBuiltIn(Profile profile) {
        for (Entry entry : profile.entries()) {
            boolean isLocked = !isOpen(entry.section())
                    || (entry instanceof ServerEntry server && !server.server().editable());
            put(profile, entry, isLocked);
        }
    }

    private void putUser(Profile profile) {
        for (Entry entry : profile.entries()) {
            OwnedEntry present = entries.get(entry.path());
            if (!isOpen(entry.section())) {
                problems.warning(
                        entry.place(),
                        entry.path() + " is not used: " + entry.section().wireName() + " is locked in " + id + ".");
            } else if (present != null && (present.provenance().locked() || lockedAsIs.contains(entry.path()))) {
                problems.warning(
                        entry.place(), entry.path() + " is not used: it is locked at " + present.provenance() + ".");
            } else {
                put(profile, entry, false);
            }
        }
    }

    private void putCorp(Profile payload) {
        for (Entry entry : payload.entries()) {
            OwnedEntry present = entries.get(entry.path());
            if (present != null && present.provenance().layer() == Layer.CORP) {
                problems.error(
                        entry.place(),
                        entry.path() + " is already at " + present.entry().place() + ".");
                continue;
            }
            CorpDirectives.noticeShadowed(present, entry, problems);
            put(payload, entry, true);
        }
    }

    private void putDetected() {
        problems.addAll(detected.problems());
        if (flag(Setting.IMPORT_REGISTRIES)) {
            detected.registries().forEach(this::putIfAbsent);
        }
        if (flag(Setting.IMPORT_SERVERS) && isOpen(Section.MCP_SERVERS)) {
            detected.servers().forEach(this::putIfAbsent);
        } else if (!detected.servers().isEmpty()) {
            ServerEntry first = detected.servers().getFirst();
            problems.warning(
                    first.place(),
                    detected.servers().size() + " MCP servers of your AI tools are not used: "
                            + (isOpen(Section.MCP_SERVERS)
                                    ? id + " does not import them. To import: [import] mcp_servers = true."
                                    : "mcpServers is locked in " + id + "."));
        }
    }

    private boolean flag(Setting setting) {
        OwnedEntry owned = entries.get(setting.path());
        return owned != null
                && owned.entry() instanceof SettingEntry value
                && value.value().equals("true");
    }

    private void putIfAbsent(Entry entry) {
        Provenance provenance = new Provenance(Layer.DETECTED, id, entry.place(), false, Optional.empty());
        OwnedEntry present = entries.putIfAbsent(entry.path(), new OwnedEntry(entry, provenance));
        if (present != null && present.provenance().layer() != Layer.DETECTED) {
            problems.warning(
                    entry.place(), entry.path() + " is not used: the name is taken at " + present.provenance() + ".");
        }
    }

    private void put(Profile profile, Entry entry, boolean isLocked) {
        entries.put(
                entry.path(),
                new OwnedEntry(
                        entry,
                        new Provenance(
                                profile.source().layer(), profile.id(), entry.place(), isLocked, Optional.empty())));
    }

    /// A more trusted layer's catch-all takes the place of the others; a locked one yields to the company's only.
    private void keepOneCatchAllPerEvent() {
        Map<String, OwnedEntry> kept = new HashMap<>();
        List<OwnedEntry> catchAlls = entries.values().stream()
                .filter(owned -> owned.entry() instanceof RuleEntry rule && rule.isCatchAll())
                .sorted(Comparator.comparing(
                                (OwnedEntry owned) -> owned.provenance().layer() != Layer.CORP)
                        .thenComparing(owned -> !owned.provenance().locked())
                        .thenComparing(owned -> owned.provenance().layer())
                        .thenComparingInt(owned -> -position(owned.provenance().profile())))
                .toList();
        for (OwnedEntry owned : catchAlls) {
            String on = ((RuleEntry) owned.entry()).on().orElse("");
            OwnedEntry first = kept.putIfAbsent(on, owned);
            if (first != null) {
                drop(owned, first, on);
            }
        }
    }

    private void drop(OwnedEntry catchAll, OwnedEntry inFavourOf, String on) {
        Layer layer = catchAll.provenance().layer();
        if (layer == Layer.CORP) {
            problems.error(
                    catchAll.entry().place(),
                    on + " already has a catch-all at " + inFavourOf.entry().place() + ".");
        } else if (layer == Layer.USER && inFavourOf.provenance().locked()) {
            problems.warning(
                    catchAll.entry().place(),
                    catchAll.entry().path() + " is not used: " + on + " has a locked catch-all at "
                            + inFavourOf.provenance() + ".");
        }
        entries.remove(catchAll.entry().path());
    }

    private int position(ProfileId profile) {
        int position = -1;
        for (int i = 0; i < chain.size(); i++) {
            position = chain.get(i).id().equals(profile) ? i : position;
        }
        return position;
    }
}
