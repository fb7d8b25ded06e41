package dev.capsem.profiles.file;

import dev.capsem.events.budget.Budget;
import dev.capsem.events.security.RuleId;
import dev.capsem.profiles.budget.BudgetReader;
import dev.capsem.profiles.file.Entry.BudgetEntry;
import dev.capsem.profiles.file.Entry.GrantEntry;
import dev.capsem.profiles.file.Entry.RuleEntry;
import dev.capsem.profiles.file.Entry.ServerEntry;
import dev.capsem.profiles.file.Entry.SettingEntry;
import dev.capsem.profiles.grant.GrantReader;
import dev.capsem.profiles.grant.ProfileGrant;
import dev.capsem.profiles.mcp.McpServer;
import dev.capsem.profiles.mcp.McpServerReader;
import dev.capsem.profiles.mcp.ServerName;
import dev.capsem.profiles.vocabulary.ListText;
import dev.capsem.profiles.vocabulary.ProfileId;
import dev.capsem.profiles.vocabulary.Section;
import dev.capsem.source.Layer;
import dev.capsem.source.Place;
import dev.capsem.source.Problems;
import dev.capsem.source.SourceText;
import dev.capsem.source.json.JsonValue;
import dev.capsem.source.tree.Fields;
import dev.capsem.source.tree.TomlTree;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SortedSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Reads a profile file. Reports all problems at once and never throws on any text.
public final class ProfileReader {
    public static final String SCHEMA = "capsem.profile.v2";

    private static final Set<String> KEYS = Set.of(
            "schema",
            "id",
            "name",
            "description",
            "revision",
            "extends",
            "warning",
            "editable",
            "import",
            "vm",
            "network",
            "ai",
            "mcpServers",
            "grant",
            "budget",
            "security",
            "approvals",
            "applies_to",
            "allowed_profiles",
            "directives");
    private static final Set<String> CORP_KEYS = Set.of("applies_to", "allowed_profiles", "directives");
    private static final Set<String> RULE_TYPES = Set.of("http", "dns", "mcp", "model", "process", "file");
    private static final Pattern RULE_NAME = Pattern.compile("[A-Za-z0-9_-]{1,64}");

    private final SourceText source;
    private final Layer layer;
    private final Problems problems = new Problems();
    private final List<Entry> entries = new ArrayList<>();

    private ProfileReader(SourceText source) {
        this.source = source;
        this.layer = source.layer();
    }

    public static Reading read(SourceText source) {
        return new ProfileReader(source).read();
    }

    private Reading read() {
        Optional<Profile> profile = TomlTree.parse(source, problems).flatMap(this::profile);
        return profile.isPresent() && !problems.hasErrors()
                ? new Reading.Valid(profile.get(), problems.list())
                : new Reading.Invalid(problems.list());
    }

    private Optional<Profile> profile(TomlTree tree) {
        Fields root = tree.fields(problems);
        root.refuseUnknown(KEYS);
        if (!root.text("schema").orElse("").equals(SCHEMA)) {
            root.error("schema", "a profile begins with schema = \"" + SCHEMA + "\".");
        }
        if (layer != Layer.CORP) {
            CORP_KEYS.stream()
                    .filter(root::has)
                    .forEach(key -> root.error(key, key + " is for signed corp payloads only."));
        }
        Optional<ProfileId> id = id(root);
        Map<Section, Boolean> editable = editable(root);
        settings(root);
        root.table("mcpServers").ifPresent(this::servers);
        grants(root);
        budgets(root);
        root.table("security").ifPresent(security -> security(tree, security));
        List<Directive> directives = new ArrayList<>();
        root.tables("directives")
                .forEach(table -> DirectiveReader.read(tree, table, this).ifPresent(directives::add));
        checkCatchAlls();
        return id.map(value -> new Profile(
                value,
                source,
                root.text("name").orElse(value.value()),
                root.text("description").orElse(""),
                revision(root),
                extending(root, value),
                ids(root, "applies_to"),
                ids(root, "allowed_profiles"),
                root.text("warning"),
                editable,
                entries,
                directives));
    }

    private Optional<ProfileId> id(Fields root) {
        Optional<String> id = root.text("id");
        if (id.isEmpty()) {
            root.error("id", "a profile has an id, such as id = \"my-team\".");
            return Optional.empty();
        }
        return profileId(root, "id", id.get());
    }

    private static Optional<ProfileId> profileId(Fields fields, String key, String text) {
        if (!ProfileId.isValid(text)) {
            fields.error(key, "a profile's id has " + ProfileId.FORM + ".");
            return Optional.empty();
        }
        return Optional.of(new ProfileId(text));
    }

    static Set<ProfileId> ids(Fields fields, String key) {
        Set<ProfileId> ids = new LinkedHashSet<>();
        fields.texts(key).forEach(text -> profileId(fields, key, text).ifPresent(ids::add));
        return ids;
    }

    private long revision(Fields root) {
        OptionalLong revision = root.integer("revision", 1, Long.MAX_VALUE);
        if (layer == Layer.CORP && !root.has("revision")) {
            root.error("id", "a corp payload has a revision that counts up, so that an old one cannot be put back.");
        }
        return revision.orElse(0);
    }

    private static Optional<ProfileId> extending(Fields root, ProfileId own) {
        Optional<ProfileId> parent = root.text("extends").flatMap(text -> profileId(root, "extends", text));
        if (parent.isPresent() && parent.get().equals(own)) {
            root.error("extends", "a profile cannot extend itself.");
        }
        return parent;
    }

    private Map<Section, Boolean> editable(Fields root) {
        Map<Section, Boolean> editable = new EnumMap<>(Section.class);
        Optional<Fields> table = root.table("editable");
        if (table.isPresent() && layer == Layer.USER) {
            root.error("editable", "only built-in profiles and your company set editable.");
        }
        table.ifPresent(flags -> {
            flags.refuseUnknown(
                    Stream.of(Section.values()).map(Section::wireName).toList());
            for (Section section : Section.values()) {
                flags.flag(section.wireName()).ifPresent(value -> editable.put(section, value));
            }
        });
        return editable;
    }

    private void settings(Fields root) {
        root.table("vm").ifPresent(vm -> {
            vm.refuseUnknown(List.of("ram_mb", "cpus", "disk_mb", "env"));
            number(vm, "ram_mb", Setting.RAM_MB, Setting.RAM_MB_MIN, Setting.RAM_MB_MAX);
            number(vm, "cpus", Setting.CPUS, Setting.CPUS_MIN, Setting.CPUS_MAX);
            number(vm, "disk_mb", Setting.DISK_MB, Setting.DISK_MB_MIN, Setting.DISK_MB_MAX);
            vm.table("env").ifPresent(this::environment);
        });
        root.table("import").ifPresent(table -> {
            table.refuseUnknown(List.of("mcp_servers", "registries"));
            flag(table, "mcp_servers", Setting.IMPORT_SERVERS);
            flag(table, "registries", Setting.IMPORT_REGISTRIES);
        });
        root.table("approvals").ifPresent(table -> {
            table.refuseUnknown(List.of("unwatched"));
            table.text("unwatched")
                    .flatMap(value -> unwatched(table, "unwatched", value))
                    .ifPresent(entries::add);
        });
        root.table("network").ifPresent(this::network);
        root.table("ai").ifPresent(ai -> {
            ai.refuseUnknown(List.of("providers"));
            ai.table("providers").ifPresent(this::providers);
        });
    }

    static Optional<SettingEntry> unwatched(Fields table, String key, String value) {
        if (Setting.UNWATCHED_VALUES.contains(value)) {
            return Optional.of(new SettingEntry(Setting.UNWATCHED, value, table.place(key)));
        }
        table.error(key, "unwatched is \"block\" (refuse at once while no approver watches) or \"wait\".");
        return Optional.empty();
    }

    private void network(Fields table) {
        table.refuseUnknown(List.of(
                "resolvers", "upstream_proxy", "upstream_proxy_credentials", "extra_ca", "client_certificates"));
        if (table.has("resolvers")) {
            checked(table, "resolvers", Setting.RESOLVERS, Optional.of(String.join(",", table.texts("resolvers"))));
        }
        checked(table, "upstream_proxy", Setting.UPSTREAM_PROXY, table.text("upstream_proxy"));
        checked(
                table,
                "upstream_proxy_credentials",
                Setting.PROXY_CREDENTIALS,
                table.text("upstream_proxy_credentials"));
        checked(table, "extra_ca", Setting.EXTRA_CA, table.text("extra_ca"));
        table.table("client_certificates").ifPresent(this::clientCertificates);
    }

    private void clientCertificates(Fields hosts) {
        for (String host : hosts.keys()) {
            if (Setting.isHost(host)) {
                checked(hosts, host, new Setting(Setting.CLIENT_CERTIFICATES + host), hosts.text(host));
            } else {
                hosts.error(host, "a client certificate is for one host: its name in lower case, between quotes.");
            }
        }
    }

    private void providers(Fields providers) {
        for (String name : providers.keys()) {
            if (!Setting.isProvider(name)) {
                providers.error(name, "a provider's id has lower-case letters, digits, _ and -.");
                continue;
            }
            providers.table(name).ifPresent(table -> {
                table.refuseUnknown(List.of("base_url"));
                checked(
                        table,
                        "base_url",
                        new Setting(Setting.PROVIDERS + name + Setting.BASE_URL),
                        table.text("base_url"));
                table.text("base_url")
                        .flatMap(url -> NetworkValue.doubt(name, url))
                        .ifPresent(doubt -> table.warning("base_url", doubt));
            });
        }
    }

    private void checked(Fields table, String key, Setting setting, Optional<String> value) {
        value.ifPresent(text -> NetworkValue.fault(setting, text)
                .ifPresentOrElse(
                        fault -> table.error(key, fault),
                        () -> entries.add(new SettingEntry(setting, text, table.place(key)))));
    }

    private void number(Fields table, String key, Setting setting, long min, long max) {
        table.integer(key, min, max)
                .ifPresent(value -> entries.add(new SettingEntry(setting, String.valueOf(value), table.place(key))));
    }

    private void flag(Fields table, String key, Setting setting) {
        table.flag(key)
                .ifPresent(value -> entries.add(new SettingEntry(setting, String.valueOf(value), table.place(key))));
    }

    private void environment(Fields env) {
        for (String name : env.keys()) {
            Optional<String> fault = Setting.variableFault(name);
            fault.ifPresent(message -> env.error(name, message));
            Optional<String> value = env.text(name);
            if (value.isPresent() && value.get().contains("${secret:")) {
                env.error(name, "a secret in the sandbox's environment could be read by everything in it.");
            } else if (value.isPresent() && value.get().length() > Setting.VARIABLE_CHARS_MAX) {
                env.error(name, "the value is longer than " + Setting.VARIABLE_CHARS_MAX + " characters.");
            } else if (value.isPresent() && fault.isEmpty()) {
                entries.add(new SettingEntry(new Setting(Setting.ENVIRONMENT + name), value.get(), env.place(name)));
            }
        }
    }

    private void servers(Fields servers) {
        for (String name : servers.keys()) {
            Optional<String> fault = ServerName.fault(name);
            if (fault.isPresent()) {
                servers.error(name, fault.get() + ".");
                continue;
            }
            servers.table(name)
                    .flatMap(fields -> server(new ServerName(name), fields))
                    .ifPresent(server -> entries.add(new ServerEntry(server, servers.place(name))));
        }
    }

    private void grants(Fields root) {
        Set<String> names = new HashSet<>();
        for (Fields table : root.tables("grant")) {
            grant(table).ifPresent(grant -> {
                if (names.add(grant.name())) {
                    entries.add(new GrantEntry(grant, table.place()));
                } else {
                    table.error("name", "two grants are called " + grant.name() + "; rename one.");
                }
            });
        }
    }

    private void budgets(Fields root) {
        Set<String> names = new HashSet<>();
        for (Fields table : root.tables("budget")) {
            BudgetReader.read(table).ifPresent(budget -> {
                if (budget.name().equals(Budget.OWN)) {
                    table.error("name", "own is the name of what --budget sets for one sandbox; choose another.");
                } else if (names.add(budget.name())) {
                    entries.add(new BudgetEntry(budget, table.place()));
                } else {
                    table.error("name", "two budgets are called " + budget.name() + "; rename one.");
                }
            });
        }
    }

    static Optional<ProfileGrant> grant(Fields table) {
        return GrantReader.read(table, Setting::variableFault);
    }

    Optional<McpServer> server(ServerName name, Fields fields) {
        String origin = switch (layer) {
            case CORP -> "corp";
            case BUILT_IN -> "builtin";
            case USER, DETECTED, DERIVED, OVERLAY -> "manual";
        };
        Optional<McpServer> server = McpServerReader.read(name, origin, layer != Layer.CORP, fields);
        if (layer == Layer.CORP && server.isPresent() && server.get().editable()) {
            fields.warning("capsem", "entries of your company are never editable; editable = true means nothing here.");
        }
        return server;
    }

    private void security(TomlTree tree, Fields security) {
        security.refuseUnknown(List.of("rules", "expect", "lists"));
        security.table("rules").ifPresent(types -> {
            types.refuseUnknown(RULE_TYPES);
            for (String type : RULE_TYPES.stream().sorted().toList()) {
                types.table(type).ifPresent(named -> rules(tree, type, named));
            }
        });
    }

    private void rules(TomlTree tree, String type, Fields named) {
        for (String name : named.keys()) {
            if (!RULE_NAME.matcher(name).matches()) {
                named.error(name, "a rule's name has 1 to 64 of A-Z a-z 0-9 _ -; this one does not.");
                continue;
            }
            Optional<Fields> rule = named.table(name);
            if (rule.isEmpty()) {
                continue;
            }
            JsonValue.Members table = rule.get().members();
            if (!tree.hasHeader(table)) {
                named.error(name, "write this rule under its own header [security.rules." + type + "." + name + "].");
                continue;
            }
            rule(RuleId.of(type, name), rule.get(), tree.lines(table), named.place(name))
                    .ifPresent(entries::add);
        }
    }

    /// The lists that the rule asks for, as one more line of it: so they travel, are compared and are in force with it.
    private String lists(Fields rule) {
        SortedSet<String> names = ListText.names(rule.text("if").orElse(""));
        if (names.isEmpty() || rule.has("lists")) {
            return "";
        }
        List<String> members = new ArrayList<>();
        for (String name : names) {
            List<String> entries = source.lists().get(name);
            if (entries == null) {
                rule.error(
                        "if",
                        "there is no list " + name + " beside this file, or it has more than " + ListText.ENTRIES_MAX
                                + " lines or is larger than 1 MiB. Put one there, an entry per line.");
                continue;
            }
            members.add(quoted(name) + " = ["
                    + entries.stream().map(ProfileReader::quoted).collect(Collectors.joining(", ")) + "]");
        }
        return "lists = { " + String.join(", ", members) + " }\n";
    }

    private static String quoted(String text) {
        StringBuilder out = new StringBuilder("\"");
        text.codePoints().forEach(c -> {
            if (c == '"' || c == '\\') {
                out.append('\\').appendCodePoint(c);
            } else if (Character.isISOControl(c)) {
                out.append(String.format("\\u%04x", c));
            } else {
                out.appendCodePoint(c);
            }
        });
        return out.append('"').toString();
    }

    /// The parts of a rule that layers care about; the engine reads the rest from the text.
    Optional<RuleEntry> rule(RuleId id, Fields rule, String text, Place place) {
        OptionalLong written = rule.integer("priority");
        if (rule.has("priority") && written.isEmpty()) {
            return Optional.empty();
        }
        long priority = written.orElse(1);
        if (!layer.acceptsPriority(priority)) {
            rule.error(
                    "priority",
                    (written.isEmpty() ? "without a priority this rule has 1; " : "priority " + priority + ": ")
                            + "rules of this source have " + layer.priorities() + ".");
            return Optional.empty();
        }
        return Optional.of(new RuleEntry(
                id,
                rule.text("on"),
                rule.text("decision"),
                (int) priority,
                rule.text("reason"),
                text + lists(rule),
                place));
    }

    private void checkCatchAlls() {
        Map<String, RuleEntry> byEvent = new HashMap<>();
        for (Entry entry : entries) {
            if (!(entry instanceof RuleEntry rule) || !rule.isCatchAll()) {
                continue;
            }
            RuleEntry first = byEvent.putIfAbsent(rule.on().orElse(""), rule);
            if (first != null) {
                problems.error(
                        rule.place(),
                        rule.on().orElse("this event") + " already has a catch-all at " + first.place() + ".");
            }
        }
    }

    Layer layer() {
        return layer;
    }
}
