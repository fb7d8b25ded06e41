package dev.capsem.profiles.file;

import dev.capsem.events.budget.Budget;
import dev.capsem.events.security.RuleId;
import dev.capsem.events.vocabulary.WireNamed;
import dev.capsem.profiles.budget.BudgetReader;
import dev.capsem.profiles.file.Directive.Operation;
import dev.capsem.profiles.file.Entry.BudgetEntry;
import dev.capsem.profiles.file.Entry.GrantEntry;
import dev.capsem.profiles.file.Entry.ServerEntry;
import dev.capsem.profiles.file.Entry.SettingEntry;
import dev.capsem.profiles.grant.ProfileGrant;
import dev.capsem.profiles.mcp.ServerName;
import dev.capsem.profiles.secret.SecretName;
import dev.capsem.profiles.vocabulary.Section;
import dev.capsem.source.Place;
import dev.capsem.source.tree.Fields;
import dev.capsem.source.tree.TomlTree;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/// Reads one `[[directives]]` table of a corp payload.
final class DirectiveReader {
    private final TomlTree tree;
    private final Fields table;
    private final ProfileReader profile;

    private DirectiveReader(TomlTree tree, Fields table, ProfileReader profile) {
        this.tree = tree;
        this.table = table;
        this.profile = profile;
    }

    /// Empty if something is wrong with it, which is then among the problems.
    static Optional<Directive> read(TomlTree tree, Fields table, ProfileReader profile) {
        return new DirectiveReader(tree, table, profile).read();
    }

    private Optional<Directive> read() {
        table.refuseUnknown(List.of("operation", "path", "value", "reason", "profiles"));
        Optional<Operation> operation = table.text("operation").flatMap(text -> WireNamed.parse(Operation.class, text));
        if (operation.isEmpty()) {
            table.error("operation", "operation is add, remove, replace, lock or forbid.");
        }
        Optional<String> path = table.text("path");
        boolean known = path.isPresent() && isKnown(path.get());
        if (!known) {
            table.error(
                    "path",
                    "path is security.rules.<type>.<name>, mcpServers.<name>, grant.<name>, budget.<name>, vm.ram_mb,"
                            + " vm.cpus, vm.disk_mb,"
                            + " vm.env.<NAME>,"
                            + " import.mcp_servers, import.registries, network.resolvers, network.upstream_proxy,"
                            + " network.upstream_proxy_credentials, network.extra_ca,"
                            + " network.client_certificates.<host>, ai.providers.<id>.base_url or approvals.unwatched.");
        }
        if (operation.isEmpty() || !known) {
            return Optional.empty();
        }
        if (!isValueRight(operation.get())) {
            return Optional.empty();
        }
        Optional<Entry> value = table.has("value") ? value(path.get()) : Optional.empty();
        if (table.has("value") && value.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(new Directive(
                operation.get(),
                path.get(),
                value,
                table.text("reason"),
                ProfileReader.ids(table, "profiles"),
                table.place()));
    }

    private static boolean isKnown(String path) {
        if (path.startsWith("mcpServers.")) {
            return ServerName.fault(path.substring("mcpServers.".length())).isEmpty();
        }
        if (path.startsWith(GrantEntry.PATH)) {
            return SecretName.isValid(path.substring(GrantEntry.PATH.length()));
        }
        if (path.startsWith(BudgetEntry.PATH)) {
            return Budget.isName(path.substring(BudgetEntry.PATH.length()));
        }
        return Setting.of(path).isPresent() || ruleId(path).isPresent();
    }

    private static Optional<RuleId> ruleId(String path) {
        try {
            return Optional.of(new RuleId(path));
        } catch (IllegalArgumentException malformed) {
            return Optional.empty();
        }
    }

    private boolean isValueRight(Operation operation) {
        boolean needed = operation == Operation.ADD || operation == Operation.REPLACE;
        boolean refused = operation == Operation.REMOVE || operation == Operation.FORBID;
        String word = operation.wireName();
        if (needed && !table.has("value")) {
            table.error("operation", word + " needs a value.");
            return false;
        }
        if (refused && table.has("value")) {
            table.error("value", word + " takes no value.");
            return false;
        }
        return true;
    }

    private Optional<Entry> value(String path) {
        Optional<Setting> setting = Setting.of(path);
        if (setting.isPresent()) {
            return setting(setting.get());
        }
        Optional<Fields> value = table.table("value");
        if (value.isEmpty()) {
            return Optional.empty();
        }
        if (path.startsWith("mcpServers.")) {
            return profile.server(new ServerName(path.substring("mcpServers.".length())), value.get())
                    .map(server -> new ServerEntry(server, table.place("value")));
        }
        if (path.startsWith(GrantEntry.PATH)) {
            return grant(path.substring(GrantEntry.PATH.length()), value.get());
        }
        if (path.startsWith(BudgetEntry.PATH)) {
            return budget(path.substring(BudgetEntry.PATH.length()), value.get());
        }
        return rule(new RuleId(path), value.get());
    }

    private Optional<Entry> grant(String name, Fields value) {
        Optional<ProfileGrant> grant = ProfileReader.grant(value);
        if (grant.isPresent() && !grant.get().name().equals(name)) {
            value.error("name", "the directive is about grant." + name + ", so its name is \"" + name + "\".");
            return Optional.empty();
        }
        return grant.map(read -> new GrantEntry(read, table.place("value")));
    }

    private Optional<Entry> budget(String name, Fields value) {
        Optional<Budget> budget = BudgetReader.read(value);
        if (budget.isPresent() && !budget.get().name().equals(name)) {
            value.error("name", "the directive is about budget." + name + ", so its name is \"" + name + "\".");
            return Optional.empty();
        }
        return budget.map(read -> new BudgetEntry(read, table.place("value")));
    }

    private Optional<Entry> setting(Setting setting) {
        Place place = table.place("value");
        if (Setting.FLAGS.contains(setting)) {
            return table.flag("value").map(flag -> new SettingEntry(setting, String.valueOf(flag), place));
        }
        Optional<Setting.Range> range = setting.range();
        if (range.isPresent()) {
            var number = table.integer("value", range.get().min(), range.get().max());
            return number.isPresent()
                    ? Optional.of(new SettingEntry(setting, String.valueOf(number.getAsLong()), place))
                    : Optional.empty();
        }
        if (setting.equals(Setting.UNWATCHED)) {
            return table.text("value")
                    .flatMap(text -> ProfileReader.unwatched(table, "value", text))
                    .map(entry -> entry);
        }
        Optional<String> text = setting.equals(Setting.RESOLVERS)
                ? Optional.of(String.join(",", table.texts("value")))
                : table.text("value");
        boolean isChecked = setting.section() == Section.NETWORK || setting.section() == Section.AI;
        Optional<String> fault =
                isChecked ? text.flatMap(value -> NetworkValue.fault(setting, value)) : Optional.empty();
        fault.ifPresent(message -> table.error("value", message));
        return fault.isPresent() ? Optional.empty() : text.map(value -> new SettingEntry(setting, value, place));
    }

    /// The value's lines under the header that the rule would have had, so that columns stay right. Each such rule
    /// is a source of its own: its header would cut the payload's tables in two.
    private Optional<Entry> rule(RuleId id, Fields value) {
        if (!tree.hasHeader(value.members())) {
            table.error("value", "write the rule's value under its own header [directives.value].");
            return Optional.empty();
        }
        String lines = tree.lines(value.members());
        int end = lines.indexOf('\n');
        String text = "[" + id + "]" + lines.substring(end);
        Place header = table.place("value");
        String file = String.format(
                Locale.ROOT,
                "%s (directive at line %d)",
                header.file(),
                table.place().line());
        return profile.rule(id, value, text, new Place(file, header.line(), header.column()))
                .map(rule -> rule);
    }
}
