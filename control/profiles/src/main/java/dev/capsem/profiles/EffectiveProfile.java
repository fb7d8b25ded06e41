package dev.capsem.profiles;

import dev.capsem.events.budget.Budget;
import dev.capsem.profiles.file.Entry.BudgetEntry;
import dev.capsem.profiles.file.Entry.GrantEntry;
import dev.capsem.profiles.file.Entry.RuleEntry;
import dev.capsem.profiles.file.Entry.ServerEntry;
import dev.capsem.profiles.file.Entry.SettingEntry;
import dev.capsem.profiles.file.Setting;
import dev.capsem.profiles.grant.ProfileGrant;
import dev.capsem.profiles.mcp.McpServer;
import dev.capsem.profiles.vocabulary.ProfileId;
import dev.capsem.profiles.vocabulary.Provenance;
import dev.capsem.profiles.vocabulary.Section;
import dev.capsem.source.Layer;
import dev.capsem.source.Place;
import dev.capsem.source.Problem;
import dev.capsem.source.SourceText;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/// What a session runs under: the outcome of all layers.
///
/// @param layers the sources that took part, as people read them
/// @param entries by path
/// @param editable whether the person's own profiles may change a section
/// @param forbidden paths that the company keeps away
/// @param warnings what whoever starts a session must be told
/// @param notices what was left out of the layers, and why
public record EffectiveProfile(
        ProfileId id,
        String name,
        List<String> layers,
        SortedMap<String, OwnedEntry> entries,
        Map<Section, Boolean> editable,
        SortedSet<String> forbidden,
        List<String> warnings,
        List<Problem> notices) {
    public EffectiveProfile {
        layers = List.copyOf(layers);
        entries = Collections.unmodifiableSortedMap(new TreeMap<>(entries));
        editable = Collections.unmodifiableMap(new TreeMap<>(editable));
        forbidden = Collections.unmodifiableSortedSet(new TreeSet<>(forbidden));
        warnings = List.copyOf(warnings);
        notices = List.copyOf(notices);
    }

    /// Changes whenever anything in force changes, and only then.
    public String revision() {
        return EffectiveJson.revision(this);
    }

    /// Whether this source is one of its layers.
    ///
    /// @param file as a [dev.capsem.source.Place] names it
    public boolean isFrom(String file) {
        return layers.stream().anyMatch(layer -> layer.endsWith(" (" + file + ")"));
    }

    public Optional<OwnedEntry> entry(String path) {
        return Optional.ofNullable(entries.get(path));
    }

    /// Ordered as the engine asks them.
    public List<OwnedEntry> rules() {
        return entries.values().stream()
                .filter(owned -> owned.entry() instanceof RuleEntry)
                .sorted(Comparator.comparingInt((OwnedEntry owned) -> ((RuleEntry) owned.entry()).priority())
                        .thenComparing(owned -> owned.entry().path()))
                .toList();
    }

    /// The rules in force as sources for the Security Engine. Everything else of a file is blank, and its lines
    /// keep their numbers.
    public List<SourceText> ruleSources() {
        Map<String, List<OwnedEntry>> byFile = new TreeMap<>();
        for (OwnedEntry owned : rules()) {
            Layer layer = owned.provenance().layer();
            String file = owned.entry().place().file();
            byFile.computeIfAbsent(layer.wireName() + " " + file, _ -> new ArrayList<>())
                    .add(owned);
        }
        List<SourceText> sources = new ArrayList<>();
        for (List<OwnedEntry> rules : byFile.values()) {
            OwnedEntry first = rules.getFirst();
            sources.add(new SourceText(
                    first.entry().place().file(), first.provenance().layer(), text(rules)));
        }
        return sources;
    }

    private static String text(List<OwnedEntry> rules) {
        List<RuleEntry> byLine = rules.stream()
                .map(owned -> (RuleEntry) owned.entry())
                .sorted(Comparator.comparingInt(rule -> rule.place().line()))
                .toList();
        StringBuilder text = new StringBuilder();
        long line = 1;
        for (RuleEntry rule : byLine) {
            while (line < rule.place().line()) {
                text.append('\n');
                line++;
            }
            text.append(rule.text());
            line += rule.text().lines().count();
        }
        return text.toString();
    }

    public List<McpServer> servers() {
        return entries.values().stream()
                .map(OwnedEntry::entry)
                .filter(ServerEntry.class::isInstance)
                .map(entry -> ((ServerEntry) entry).server())
                .toList();
    }

    /// All of them count at the same time.
    public List<Budget> budgets() {
        return entries.values().stream()
                .map(OwnedEntry::entry)
                .filter(BudgetEntry.class::isInstance)
                .map(entry -> ((BudgetEntry) entry).budget())
                .toList();
    }

    /// The same, with a limit for one sandbox beside those of the profile.
    public EffectiveProfile withOwn(Budget own) {
        SortedMap<String, OwnedEntry> more = new TreeMap<>(entries);
        Place place = Place.start("--budget");
        BudgetEntry entry = new BudgetEntry(own, place);
        more.put(entry.path(), new OwnedEntry(entry, new Provenance(Layer.USER, id, place, false, Optional.empty())));
        return new EffectiveProfile(id, name, layers, more, editable, forbidden, warnings, notices);
    }

    public List<ProfileGrant> grants() {
        return entries.values().stream()
                .map(OwnedEntry::entry)
                .filter(GrantEntry.class::isInstance)
                .map(entry -> ((GrantEntry) entry).grant())
                .toList();
    }

    public Optional<String> setting(Setting setting) {
        return entry(setting.path())
                .map(OwnedEntry::entry)
                .filter(SettingEntry.class::isInstance)
                .map(entry -> ((SettingEntry) entry).value());
    }

    public OptionalInt ramMb() {
        return number(Setting.RAM_MB);
    }

    public OptionalInt cpus() {
        return number(Setting.CPUS);
    }

    public OptionalInt diskMb() {
        return number(Setting.DISK_MB);
    }

    public Map<String, String> environment() {
        return settingsBelow(Setting.ENVIRONMENT);
    }

    private Map<String, String> settingsBelow(String prefix) {
        Map<String, String> found = new LinkedHashMap<>();
        entries.forEach((path, owned) -> {
            if (owned.entry() instanceof SettingEntry setting && path.startsWith(prefix)) {
                found.put(path.substring(prefix.length()), setting.value());
            }
        });
        return found;
    }

    public ProfileNetwork network() {
        return new ProfileNetwork(
                setting(Setting.RESOLVERS)
                        .map(value -> List.of(value.split(",", -1)))
                        .orElse(List.of()),
                setting(Setting.UPSTREAM_PROXY),
                setting(Setting.PROXY_CREDENTIALS),
                setting(Setting.EXTRA_CA),
                settingsBelow(Setting.CLIENT_CERTIFICATES));
    }

    /// Where model providers answer beside their own well-known hosts.
    public List<ProviderUrl> modelEndpoints() {
        List<ProviderUrl> endpoints = new ArrayList<>();
        entries.forEach((path, owned) -> {
            if (owned.entry() instanceof SettingEntry setting) {
                Setting.provider(path).ifPresent(provider -> endpoints.add(new ProviderUrl(provider, setting.value())));
            }
        });
        return endpoints;
    }

    /// Whether a question waits for its full time while nobody watches; otherwise it is refused at once.
    public boolean waitsUnwatched() {
        return setting(Setting.UNWATCHED).filter("wait"::equals).isPresent();
    }

    public boolean isEditable(Section section) {
        return editable.getOrDefault(section, true);
    }

    private OptionalInt number(Setting setting) {
        return setting(setting).stream().mapToInt(Integer::parseInt).findFirst();
    }
}
