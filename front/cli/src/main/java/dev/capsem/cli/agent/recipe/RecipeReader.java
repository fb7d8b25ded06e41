package dev.capsem.cli.agent.recipe;

import dev.capsem.cli.agent.recipe.AgentRecipe.Login;
import dev.capsem.cli.agent.recipe.AgentRecipe.Settings;
import dev.capsem.source.Problem;
import dev.capsem.source.Problems;
import dev.capsem.source.SourceText;
import dev.capsem.source.tree.Fields;
import dev.capsem.source.tree.TomlTree;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/// Reads a recipe. Strict: what it does not know is a mistake, and all mistakes are reported at once, with places.
public final class RecipeReader {
    public static final String SCHEMA = "capsem.agent.v1";

    static final int LIST_MAX = 64;

    /// Words of `capsem agent` itself.
    private static final Set<String> TAKEN = Set.of("list", "show", "add", "test");

    private static final Pattern NAME = Pattern.compile("[a-z0-9][a-z0-9-]{0,31}");
    private static final Pattern COMMAND = Pattern.compile("[A-Za-z0-9_.+-]{1,128}");
    private static final Pattern VARIABLE = Pattern.compile("[A-Za-z_][A-Za-z0-9_]{0,255}");
    private static final Pattern HOST =
            Pattern.compile("(\\*\\.)?[a-z0-9_-]{1,63}(\\.[a-z0-9_-]{1,63})+(:[0-9]{1,5})?");
    private static final Pattern PATH = Pattern.compile("(~/|/)[^\\p{Cntrl}]{1,1023}");
    private static final Pattern BELOW_HOME =
            Pattern.compile("(?!.*(^|/)\\.\\.?(/|$))[^/\\p{Cntrl}][^\\p{Cntrl}]{0,255}");
    private static final Pattern PROVIDER = Pattern.compile("[a-z0-9_-]{1,32}");
    private static final Pattern BUDGET = Pattern.compile("[0-9][0-9.]{0,15} ?(usd|tokens|requests)");

    private static final List<String> KEYS = List.of(
            "schema",
            "name",
            "title",
            "command",
            "places",
            "mounts",
            "yolo",
            "env",
            "hosts",
            "refused",
            "budget",
            "needs_login",
            "every_login",
            "login",
            "settings");
    private static final List<String> LOGIN_KEYS =
            List.of("name", "variable", "hosts", "places", "base_url", "provider", "file", "pointer", "expires");
    private static final List<String> SETTINGS_KEYS = List.of("file", "keep", "flags", "whole");

    private final Fields fields;

    private RecipeReader(Fields fields) {
        this.fields = fields;
    }

    /// @param recipe empty if there is a mistake
    public record Reading(Optional<AgentRecipe> recipe, List<Problem> problems) {
        public Reading {
            problems = List.copyOf(problems);
        }
    }

    /// Never throws.
    public static Reading read(SourceText source) {
        var problems = new Problems();
        Optional<AgentRecipe> recipe =
                TomlTree.parse(source, problems).map(tree -> new RecipeReader(tree.fields(problems)).recipe());
        return new Reading(problems.hasErrors() ? Optional.empty() : recipe, problems.list());
    }

    private AgentRecipe recipe() {
        fields.refuseUnknown(KEYS);
        if (!fields.text("schema").filter(SCHEMA::equals).isPresent()) {
            fields.error("schema", "the first line of a recipe is schema = \"" + SCHEMA + "\".");
        }
        String name = required(fields, "name", NAME, "a name has 1 to 32 lower-case letters, digits and -.");
        if (TAKEN.contains(name)) {
            fields.error("name", "`capsem agent " + name + "` is a command already.");
        }
        return new AgentRecipe(
                name,
                fields.text("title").orElse(name),
                fields.has("command")
                        ? required(fields, "command", COMMAND, "command is a program's name, without a path.")
                        : name,
                matching(fields, "places", PATH, "a place begins with / or ~/."),
                matching(fields, "mounts", PATH, "a path begins with / or ~/."),
                bounded(fields, "yolo"),
                environment(),
                matching(fields, "hosts", HOST, "a host is a name in lower case, such as \"docs.example.com\"."),
                matching(fields, "refused", HOST, "a host is a name in lower case, such as \"docs.example.com\"."),
                fields.has("budget")
                        ? required(fields, "budget", BUDGET, "a budget is like \"5usd\", \"200000tokens\".")
                        : AgentRecipe.BUDGET,
                fields.flag("needs_login").orElse(true),
                fields.flag("every_login").orElse(false),
                logins(),
                settings());
    }

    private Map<String, String> environment() {
        Map<String, String> env = fields.textMap("env");
        env.keySet().stream()
                .filter(name -> !VARIABLE.matcher(name).matches())
                .forEach(name -> fields.error("env", "\"" + name + "\" is no name for a variable."));
        return env;
    }

    private List<Login> logins() {
        var logins = new ArrayList<Login>();
        for (Fields table : fields.tables("login")) {
            table.refuseUnknown(LOGIN_KEYS);
            Optional<String> file = optional(table, "file", PATH, "a file begins with / or ~/.");
            if (file.isPresent() != table.has("pointer")) {
                table.error("file", "a login in a file needs both: file, and pointer, which says where in it.");
            }
            List<String> hosts = matching(table, "hosts", HOST, "a host is a name in lower case.");
            if (hosts.isEmpty() || hosts.stream().anyMatch(host -> host.contains(":"))) {
                table.error("hosts", "a login goes to named hosts, without ports, such as [\"api.example.com\"].");
            }
            List<String> places = bounded(table, "places");
            logins.add(new Login(
                    required(table, "name", NAME, "a login has a name, which is also that of its secret."),
                    required(table, "variable", VARIABLE, "variable is where the agent looks for it."),
                    hosts,
                    places.isEmpty() ? List.of("header:authorization") : places,
                    optional(table, "base_url", VARIABLE, "base_url is a variable's name."),
                    optional(table, "provider", PROVIDER, "provider is like \"anthropic\" or \"openai\"."),
                    file,
                    table.text("pointer"),
                    table.text("expires")));
        }
        if (logins.size() > LIST_MAX) {
            fields.error("login", "there are more than " + LIST_MAX + ".");
        }
        return logins;
    }

    private List<Settings> settings() {
        var all = new ArrayList<Settings>();
        for (Fields table : fields.tables("settings")) {
            table.refuseUnknown(SETTINGS_KEYS);
            List<String> keep = bounded(table, "keep");
            List<String> flags = bounded(table, "flags");
            boolean whole = table.flag("whole").orElse(false);
            if (whole == !(keep.isEmpty() && flags.isEmpty())) {
                table.error("file", "say which members of a JSON file come along (keep, flags), or whole = true.");
            }
            all.add(new Settings(
                    required(
                            table,
                            "file",
                            BELOW_HOME,
                            "file is a path below your home, such as \".tool/settings.json\"."),
                    keep,
                    flags,
                    whole));
        }
        if (all.size() > LIST_MAX) {
            fields.error("settings", "there are more than " + LIST_MAX + ".");
        }
        return all;
    }

    private static String required(Fields table, String key, Pattern form, String message) {
        Optional<String> text =
                table.text(key).filter(value -> form.matcher(value).matches());
        if (text.isEmpty()) {
            table.error(key, message);
        }
        return text.orElse("");
    }

    private static Optional<String> optional(Fields table, String key, Pattern form, String message) {
        return table.has(key) ? Optional.of(required(table, key, form, message)) : Optional.empty();
    }

    private static List<String> matching(Fields table, String key, Pattern form, String message) {
        List<String> texts = bounded(table, key);
        if (texts.stream().anyMatch(text -> !form.matcher(text).matches())) {
            table.error(key, message);
        }
        return texts;
    }

    private static List<String> bounded(Fields table, String key) {
        List<String> texts = table.texts(key);
        if (texts.size() > LIST_MAX) {
            table.error(key, key + " has more than " + LIST_MAX + " entries.");
        }
        return texts;
    }
}
