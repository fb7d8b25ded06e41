package dev.capsem.profiles;

import dev.capsem.profiles.budget.BudgetJson;
import dev.capsem.profiles.file.Entry.BudgetEntry;
import dev.capsem.profiles.file.Entry.GrantEntry;
import dev.capsem.profiles.file.Entry.RuleEntry;
import dev.capsem.profiles.file.Entry.ServerEntry;
import dev.capsem.profiles.file.Entry.SettingEntry;
import dev.capsem.profiles.grant.GrantJson;
import dev.capsem.source.json.JsonValue;
import dev.capsem.source.json.JsonWriter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;

/// What changes between two effective profiles, entry by entry.
public record ProfileDiff(List<Change> changes) {
    /// @param before empty if the entry is new
    /// @param after empty if it is gone
    public record Change(String path, Optional<OwnedEntry> before, Optional<OwnedEntry> after) {
        public String kind() {
            return before.isEmpty() ? "added" : after.isEmpty() ? "removed" : "changed";
        }
    }

    public ProfileDiff {
        changes = List.copyOf(changes);
    }

    public static ProfileDiff between(EffectiveProfile before, EffectiveProfile after) {
        SortedSet<String> paths = new TreeSet<>(before.entries().keySet());
        paths.addAll(after.entries().keySet());
        List<Change> changes = new ArrayList<>();
        for (String path : paths) {
            Optional<OwnedEntry> old = Optional.ofNullable(before.entries().get(path));
            Optional<OwnedEntry> now = Optional.ofNullable(after.entries().get(path));
            boolean isSame = old.isPresent()
                    && now.isPresent()
                    && content(old.get()).equals(content(now.get()))
                    && old.get().provenance().layer() == now.get().provenance().layer()
                    && old.get().provenance().locked() == now.get().provenance().locked();
            if (!isSame) {
                changes.add(new Change(path, old, now));
            }
        }
        changes.sort(Comparator.comparing(Change::path));
        return new ProfileDiff(changes);
    }

    public boolean isEmpty() {
        return changes.isEmpty();
    }

    /// As people read it: `-` lines of before, `+` lines of after.
    public String text() {
        StringBuilder text = new StringBuilder();
        for (Change change : changes) {
            text.append(change.path()).append(": ").append(change.kind()).append('\n');
            change.before().ifPresent(owned -> side(text, "  - ", owned));
            change.after().ifPresent(owned -> side(text, "  + ", owned));
        }
        return text.toString();
    }

    public JsonValue.Members toJson() {
        return JsonValue.members()
                .put("changes", JsonValue.items(changes, change -> {
                    JsonValue.Builder json =
                            JsonValue.members().put("path", change.path()).put("kind", change.kind());
                    change.before().ifPresent(owned -> json.put("before", EffectiveJson.entry(owned)));
                    change.after().ifPresent(owned -> json.put("after", EffectiveJson.entry(owned)));
                    return json.build();
                }))
                .build();
    }

    private static void side(StringBuilder text, String mark, OwnedEntry owned) {
        text.append(mark).append("# ").append(owned.provenance()).append('\n');
        content(owned).lines().forEach(line -> text.append(mark).append(line).append('\n'));
    }

    private static String content(OwnedEntry owned) {
        return switch (owned.entry()) {
            case RuleEntry rule -> rule.text().strip();
            case ServerEntry server -> JsonWriter.compact(server.server().toJson());
            case GrantEntry grant -> JsonWriter.compact(GrantJson.write(grant.grant()));
            case BudgetEntry budget -> JsonWriter.compact(BudgetJson.write(budget.budget()));
            case SettingEntry setting -> setting.value();
        };
    }
}
