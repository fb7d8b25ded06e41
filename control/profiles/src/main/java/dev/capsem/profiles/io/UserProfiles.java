package dev.capsem.profiles.io;

import dev.capsem.events.budget.Budget;
import dev.capsem.events.security.RuleId;
import dev.capsem.profiles.budget.BudgetJson;
import dev.capsem.profiles.file.ProfileReader;
import dev.capsem.profiles.file.Reading;
import dev.capsem.profiles.grant.GrantToml;
import dev.capsem.profiles.grant.ProfileGrant;
import dev.capsem.profiles.mcp.McpServer;
import dev.capsem.profiles.mcp.ServerName;
import dev.capsem.profiles.mcp.ServerToml;
import dev.capsem.profiles.vocabulary.ProfileId;
import dev.capsem.source.Layer;
import dev.capsem.source.Place;
import dev.capsem.source.Problem;
import dev.capsem.source.Problems;
import dev.capsem.source.SourceText;
import dev.capsem.source.json.JsonValue;
import dev.capsem.source.tree.TomlTree;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Changes the person's own profiles. Their comments and order stay: lines are added at the end or cut out, and a
/// change that would leave an invalid profile is not written.
public final class UserProfiles {
    private static final String KEPT_BEGIN = "# Kept by Capsem up to the next such line; add your own behind it.";
    private static final String KEPT_END = "# End of what Capsem keeps.";

    private final Path directory;
    private final Path chosen;

    /// Guards the files: two edits at once would lose one.
    private final Object turn = new Object();

    /// The result of an edit.
    public sealed interface Edit {
        record Written(Path file) implements Edit {}

        record Refused(List<Problem> problems) implements Edit {
            public Refused {
                problems = List.copyOf(problems);
            }
        }
    }

    public UserProfiles(ProfileFolders folders) {
        this.directory = folders.user();
        this.chosen = folders.chosen();
    }

    /// Makes a profile the one of sessions that name none.
    public void choose(ProfileId id) {
        write(chosen, id + "\n");
    }

    /// Adds a server. A profile that is built in gets a file of the same name that adds to it.
    public Edit add(ProfileId profile, McpServer server) {
        return append(profile, ServerToml.write(server));
    }

    /// Adds a rule: how an answer of "always" is remembered.
    ///
    /// @param table the rule's lines, without its header
    public Edit add(ProfileId profile, RuleId rule, String table) {
        return append(profile, "[" + rule + "]\n" + table.strip() + "\n");
    }

    /// Begins a profile with lines that we keep up to date; what people and answers added behind them stays. False if
    /// nothing changed.
    ///
    /// @param lines the whole head of the file, from its schema on
    public boolean keep(ProfileId profile, String lines) {
        synchronized (turn) {
            Optional<String> before = text(profile);
            String own = before.map(UserProfiles::behindKept).orElse("");
            String text = KEPT_BEGIN + "\n" + lines.strip() + "\n" + KEPT_END + "\n" + own;
            if (before.filter(text::equals).isPresent()) {
                return false;
            }
            if (replace(profile, text) instanceof Edit.Refused refused) {
                throw new ProfileException(
                        ProfileException.Code.UNWRITABLE,
                        refused.problems().stream()
                                .map(Problem::toString)
                                .findFirst()
                                .orElse("the profile has a mistake"));
            }
            return true;
        }
    }

    private static String behindKept(String text) {
        int end = text.indexOf(KEPT_END + "\n");
        if (!text.startsWith(KEPT_BEGIN) || end < 0) {
            throw new ProfileException(
                    ProfileException.Code.UNWRITABLE,
                    "there is a profile of yours with that name, which is not overwritten");
        }
        return text.substring(end + KEPT_END.length() + 1);
    }

    /// Adds a grant, in place of one of the same name.
    public Edit put(ProfileId profile, ProfileGrant grant) {
        synchronized (turn) {
            Optional<String> before = text(profile);
            Optional<String> without = before.flatMap(text -> without(profile, text, "grant", grant.name()));
            return append(profile, without.or(() -> before), GrantToml.write(grant));
        }
    }

    /// Removes a grant; refused if there is none of that name.
    public Edit removeGrant(ProfileId profile, String name) {
        synchronized (turn) {
            return text(profile)
                    .flatMap(text -> without(profile, text, "grant", name))
                    .map(text -> replace(profile, text))
                    .orElseGet(() -> new Edit.Refused(List.of(Problem.error(
                            Place.start(file(profile).toString()),
                            "there is no grant " + name + " under a header [[grant]] of its own."))));
        }
    }

    /// Adds a budget, in place of one of the same name.
    public Edit put(ProfileId profile, Budget budget) {
        synchronized (turn) {
            Optional<String> before = text(profile);
            Optional<String> without = before.flatMap(text -> without(profile, text, "budget", budget.name()));
            return append(profile, without.or(() -> before), BudgetJson.toml(budget));
        }
    }

    /// Empty if it has none of that name.
    ///
    /// @param kind grant or budget
    private Optional<String> without(ProfileId profile, String text, String kind, String name) {
        Problems problems = new Problems();
        SourceText source = new SourceText(file(profile).toString(), Layer.USER, text);
        return TomlTree.parse(source, problems)
                .flatMap(tree -> tree.fields(problems).tables(kind).stream()
                        .filter(table -> table.text("name").filter(name::equals).isPresent())
                        .filter(table -> tree.hasHeader(table.members()))
                        .findFirst()
                        .map(table -> tree.without(List.of(table.members()))));
    }

    public Edit remove(ProfileId profile, ServerName server) {
        return cut(profile, List.of("mcpServers", server.value()));
    }

    public Edit remove(ProfileId profile, RuleId rule) {
        return cut(profile, List.of("security", "rules", rule.type(), rule.name()));
    }

    private Edit append(ProfileId profile, String lines) {
        synchronized (turn) {
            return append(profile, text(profile), lines);
        }
    }

    private Edit append(ProfileId profile, Optional<String> before, String lines) {
        String text = before.orElse("schema = \"" + ProfileReader.SCHEMA + "\"\nid = \"" + profile
                + "\"\n# What is here is added to the built-in profile of the same name.\n");
        return replace(profile, text.stripTrailing() + "\n\n" + lines);
    }

    private Edit cut(ProfileId profile, List<String> path) {
        synchronized (turn) {
            Problems problems = new Problems();
            Place place = Place.start(file(profile).toString());
            Optional<TomlTree> tree = text(profile)
                    .flatMap(text ->
                            TomlTree.parse(new SourceText(file(profile).toString(), Layer.USER, text), problems));
            if (tree.isEmpty()) {
                problems.error(place, "there is no such entry.");
                return new Edit.Refused(problems.list());
            }
            JsonValue at = tree.get().fields(problems).members();
            for (String step : path) {
                at = at instanceof JsonValue.Members members
                        ? members.get(step).orElse(JsonValue.none())
                        : JsonValue.none();
            }
            List<JsonValue.Members> tables = new ArrayList<>();
            collect(at, tree.get(), tables);
            boolean canBeCut =
                    at instanceof JsonValue.Members table && tree.get().hasHeader(table);
            return canBeCut
                    ? replace(profile, tree.get().without(tables))
                    : new Edit.Refused(List.of(Problem.error(
                            place, String.join(".", path) + " is not written under its own header; edit the file.")));
        }
    }

    /// The tables with headers of their own, from this one down. Inline ones go with the lines around them.
    private static void collect(JsonValue at, TomlTree tree, List<JsonValue.Members> tables) {
        if (at instanceof JsonValue.Members table) {
            if (tree.hasHeader(table)) {
                tables.add(table);
            }
            table.map().values().forEach(value -> collect(value, tree, tables));
        }
    }

    private Edit replace(ProfileId profile, String text) {
        Path file = file(profile);
        Reading reading = ProfileReader.read(new SourceText(file.toString(), Layer.USER, text, lists(file, text)));
        if (reading instanceof Reading.Invalid invalid) {
            return new Edit.Refused(invalid.problems());
        }
        write(file, text);
        return new Edit.Written(file);
    }

    private static Map<String, List<String>> lists(Path file, String text) {
        try {
            return ListFiles.beside(file, text).entries();
        } catch (IOException e) {
            throw new ProfileException(
                    ProfileException.Code.UNREADABLE, "a list beside " + file + " cannot be read", e);
        }
    }

    private Optional<String> text(ProfileId profile) {
        try {
            Path file = file(profile);
            return Files.exists(file) ? Optional.of(Files.readString(file)) : Optional.empty();
        } catch (IOException e) {
            throw new ProfileException(ProfileException.Code.UNREADABLE, file(profile) + " cannot be read", e);
        }
    }

    private Path file(ProfileId profile) {
        return directory.resolve(profile + ".toml");
    }

    private static void write(Path file, String text) {
        try {
            PrivateFile.write(file, text);
        } catch (IOException e) {
            throw new ProfileException(ProfileException.Code.UNWRITABLE, file + " cannot be written", e);
        }
    }
}
