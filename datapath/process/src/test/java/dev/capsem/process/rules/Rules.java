package dev.capsem.process.rules;

import dev.capsem.events.security.RuleId;
import dev.capsem.profiles.EffectiveProfile;
import dev.capsem.profiles.OwnedEntry;
import dev.capsem.profiles.file.Entry.RuleEntry;
import dev.capsem.profiles.io.SessionProfile;
import dev.capsem.profiles.vocabulary.ProfileId;
import dev.capsem.profiles.vocabulary.Provenance;
import dev.capsem.security.RuleCompiler;
import dev.capsem.security.SecurityEngine;
import dev.capsem.source.Layer;
import dev.capsem.source.Place;
import dev.capsem.source.SourceText;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/// Rules for tests, compiled as any others.
public final class Rules {
    public static final String ALLOW_COMMANDS = command("allow_all", "true", "allow", 1000);

    private static final RuleCompiler COMPILER = new RuleCompiler();

    private Rules() {}

    public static String command(String name, String condition, String decision, int priority) {
        return """
                [security.rules.process.%s]
                on = "process.exec"
                if = '''%s'''
                decision = "%s"
                priority = %d
                reason = "the reason of %s"
                """.formatted(name, condition, decision, priority, name);
    }

    /// Writes the effective profile of a session, of rules that are one table each.
    public static String write(Path sessionDir, String... tables) {
        EffectiveProfile profile = profile(Layer.USER, tables);
        SessionProfile.write(sessionDir, profile);
        return profile.revision();
    }

    public static EffectiveProfile profile(Layer layer, String... tables) {
        SortedMap<String, OwnedEntry> entries = new TreeMap<>();
        int line = 1;
        for (String table : tables) {
            Place place = new Place("profile.toml", line, 1);
            RuleId id = new RuleId(table.substring(table.indexOf('[') + 1, table.indexOf(']')));
            RuleEntry rule = new RuleEntry(id, Optional.empty(), Optional.empty(), 1, Optional.empty(), table, place);
            entries.put(
                    id.value(),
                    new OwnedEntry(rule, new Provenance(layer, ProfileId.DEFAULT, place, false, Optional.empty())));
            line += (int) table.lines().count();
        }
        return new EffectiveProfile(
                ProfileId.DEFAULT, "Test", List.of(), entries, Map.of(), new TreeSet<>(), List.of(), List.of());
    }

    public static SecurityEngine engine(String... toml) {
        return switch (COMPILER.compile(List.of(new SourceText("test.toml", Layer.USER, String.join("\n", toml))))) {
            case RuleCompiler.Result.Compiled compiled -> new SecurityEngine(compiled.snapshot());
            case RuleCompiler.Result.Rejected rejected -> throw new AssertionError(String.valueOf(rejected.problems()));
        };
    }
}
