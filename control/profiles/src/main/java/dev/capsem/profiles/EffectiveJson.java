package dev.capsem.profiles;

import dev.capsem.events.security.RuleId;
import dev.capsem.profiles.budget.BudgetJson;
import dev.capsem.profiles.budget.BudgetReader;
import dev.capsem.profiles.file.Entry;
import dev.capsem.profiles.file.Entry.BudgetEntry;
import dev.capsem.profiles.file.Entry.GrantEntry;
import dev.capsem.profiles.file.Entry.RuleEntry;
import dev.capsem.profiles.file.Entry.ServerEntry;
import dev.capsem.profiles.file.Entry.SettingEntry;
import dev.capsem.profiles.file.Setting;
import dev.capsem.profiles.grant.GrantJson;
import dev.capsem.profiles.grant.GrantReader;
import dev.capsem.profiles.mcp.McpServerJson;
import dev.capsem.profiles.mcp.ServerName;
import dev.capsem.profiles.vocabulary.ProfileId;
import dev.capsem.profiles.vocabulary.Provenance;
import dev.capsem.profiles.vocabulary.Section;
import dev.capsem.source.Layer;
import dev.capsem.source.Place;
import dev.capsem.source.Problem;
import dev.capsem.source.Problems;
import dev.capsem.source.json.JsonReader;
import dev.capsem.source.json.JsonReading;
import dev.capsem.source.json.JsonValue;
import dev.capsem.source.json.JsonWriter;
import dev.capsem.source.tree.Fields;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/// The form in which a session's directory keeps its effective profile. Holds references, never secrets.
public final class EffectiveJson {
    public static final String SCHEMA = "capsem.effective-profile.v1";

    /// The name of the file in a session's directory.
    public static final String FILE = "effective-profile.json";

    private static final int REVISION_DIGITS = 16;

    /// What came of reading such a file.
    public sealed interface Read {
        record Ok(EffectiveProfile profile) implements Read {}

        record Malformed(String reason) implements Read {}
    }

    private EffectiveJson() {}

    public static String write(EffectiveProfile profile) {
        return JsonWriter.pretty(json(profile)) + "\n";
    }

    public static JsonValue.Members json(EffectiveProfile profile) {
        return JsonValue.members()
                .put("schema", SCHEMA)
                .put("profile_id", profile.id().value())
                .put("name", profile.name())
                .put("revision", profile.revision())
                .put("layers", profile.layers())
                .put("warnings", profile.warnings())
                .put("editable", editable(profile))
                .put("forbidden", profile.forbidden())
                .put("entries", JsonValue.items(profile.entries().values(), EffectiveJson::entry))
                .put("notices", JsonValue.items(profile.notices(), EffectiveJson::problem))
                .build();
    }

    static String revision(EffectiveProfile profile) {
        String inForce = JsonWriter.compact(JsonValue.members()
                .put("id", profile.id().value())
                .put("editable", editable(profile))
                .put("forbidden", profile.forbidden())
                .put("entries", JsonValue.items(profile.entries().values(), EffectiveJson::entry))
                .build());
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(inForce.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest).substring(0, REVISION_DIGITS);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    private static JsonValue.Members editable(EffectiveProfile profile) {
        JsonValue.Builder json = JsonValue.members();
        profile.editable().forEach((section, isOpen) -> json.put(section.wireName(), isOpen));
        return json.build();
    }

    public static JsonValue.Members problem(Problem problem) {
        return JsonValue.members()
                .put("file", problem.place().file())
                .put("line", problem.place().line())
                .put("column", problem.place().column())
                .put("weight", problem.isError() ? "error" : "warning")
                .put("message", problem.message())
                .build();
    }

    static JsonValue.Members entry(OwnedEntry owned) {
        JsonValue.Builder json = JsonValue.members().put("path", owned.entry().path());
        switch (owned.entry()) {
            case RuleEntry rule -> json.put("rule", rule(rule));
            case ServerEntry server -> json.put("server", server.server().toJson());
            case GrantEntry grant -> json.put("grant", GrantJson.write(grant.grant()));
            case BudgetEntry budget -> json.put("budget", BudgetJson.write(budget.budget()));
            case SettingEntry setting -> json.put("value", setting.value());
        }
        return json.put("provenance", provenance(owned.provenance())).build();
    }

    private static JsonValue.Members rule(RuleEntry rule) {
        JsonValue.Builder json = JsonValue.members();
        rule.on().ifPresent(on -> json.put("on", on));
        rule.decision().ifPresent(decision -> json.put("decision", decision));
        json.put("priority", rule.priority());
        rule.reason().ifPresent(reason -> json.put("reason", reason));
        return json.put("text", rule.text()).build();
    }

    /// As the API shows it beside rules and servers.
    public static JsonValue.Members provenance(Provenance provenance) {
        JsonValue.Builder json = JsonValue.members()
                .put("layer", provenance.layer().wireName())
                .put("profile_id", provenance.profile().value())
                .put("file", provenance.place().file())
                .put("line", provenance.place().line())
                .put("column", provenance.place().column())
                .put("locked", provenance.locked());
        provenance.reason().ifPresent(reason -> json.put("reason", reason));
        return json.build();
    }

    /// Never throws: a session whose file is damaged must be blocked, not crashed.
    public static Read read(String text) {
        if (!(JsonReader.read(text) instanceof JsonReading.Parsed parsed)
                || !(parsed.document().root() instanceof JsonValue.Members root)) {
            return new Read.Malformed("not JSON");
        }
        Problems problems = new Problems();
        Fields fields = new Fields(root, "", _ -> Place.start(FILE), problems);
        try {
            EffectiveProfile profile = profile(fields);
            if (problems.hasErrors()) {
                return new Read.Malformed(problems.list().getFirst().message());
            }
            return profile.revision().equals(fields.text("revision").orElse(""))
                    ? new Read.Ok(profile)
                    : new Read.Malformed("the revision does not fit the content");
        } catch (IllegalArgumentException malformed) {
            return new Read.Malformed(String.valueOf(malformed.getMessage()));
        }
    }

    private static EffectiveProfile profile(Fields fields) {
        if (!fields.text("schema").orElse("").equals(SCHEMA)) {
            throw new IllegalArgumentException("schema is not " + SCHEMA);
        }
        SortedMap<String, OwnedEntry> entries = new TreeMap<>();
        for (Fields entry : fields.tables("entries")) {
            OwnedEntry owned = owned(entry);
            entries.put(owned.entry().path(), owned);
        }
        Map<Section, Boolean> editable = new EnumMap<>(Section.class);
        Fields flags = require(fields.table("editable"), "editable");
        for (Section section : Section.values()) {
            flags.flag(section.wireName()).ifPresent(isOpen -> editable.put(section, isOpen));
        }
        List<Problem> notices = new ArrayList<>();
        for (Fields notice : fields.tables("notices")) {
            notices.add(Problem.warning(place(notice), need(notice, "message")));
        }
        return new EffectiveProfile(
                new ProfileId(need(fields, "profile_id")),
                need(fields, "name"),
                fields.texts("layers"),
                entries,
                editable,
                new TreeSet<>(fields.texts("forbidden")),
                fields.texts("warnings"),
                notices);
    }

    private static OwnedEntry owned(Fields fields) {
        Fields from = require(fields.table("provenance"), "provenance");
        Provenance provenance = new Provenance(
                Layer.named(need(from, "layer"))
                        .filter(layer -> layer != Layer.OVERLAY)
                        .orElseThrow(() -> new IllegalArgumentException("unknown layer")),
                new ProfileId(need(from, "profile_id")),
                place(from),
                require(from.flag("locked"), "locked"),
                from.text("reason"));
        return new OwnedEntry(entry(fields, need(fields, "path"), provenance.place()), provenance);
    }

    private static Entry entry(Fields fields, String path, Place place) {
        if (fields.has("rule")) {
            Fields rule = require(fields.table("rule"), "rule");
            return new RuleEntry(
                    new RuleId(path),
                    rule.text("on"),
                    rule.text("decision"),
                    (int) rule.integer("priority", -1000, 1000)
                            .orElseThrow(() -> new IllegalArgumentException("a rule has no priority")),
                    rule.text("reason"),
                    need(rule, "text"),
                    place);
        }
        if (fields.has("server")) {
            ServerName name = new ServerName(path.replaceFirst("^mcpServers\\.", ""));
            Fields server = require(fields.table("server"), "server");
            return new ServerEntry(McpServerJson.read(name, server.members()), place);
        }
        if (fields.has("grant")) {
            return new GrantEntry(
                    require(GrantReader.read(require(fields.table("grant"), "grant"), Setting::variableFault), "grant"),
                    place);
        }
        if (fields.has("budget")) {
            return new BudgetEntry(
                    require(BudgetReader.read(require(fields.table("budget"), "budget")), "budget"), place);
        }
        Setting setting = Setting.of(path).orElseThrow(() -> new IllegalArgumentException("unknown setting"));
        String value = need(fields, "value");
        if (setting.range().isPresent() && !value.matches("[0-9]{1,7}")) {
            throw new IllegalArgumentException(path + " is not a number");
        }
        return new SettingEntry(setting, value, place);
    }

    private static Place place(Fields fields) {
        return new Place(
                need(fields, "file"),
                (int) fields.integer("line", 1, Integer.MAX_VALUE).orElse(1),
                (int) fields.integer("column", 1, Integer.MAX_VALUE).orElse(1));
    }

    private static String need(Fields fields, String key) {
        return require(fields.text(key), key);
    }

    private static <T> T require(Optional<T> value, String key) {
        return value.orElseThrow(() -> new IllegalArgumentException(key + " is missing"));
    }
}
