package dev.capsem.profiles;

import dev.capsem.events.security.RuleId;
import dev.capsem.profiles.file.Entry.RuleEntry;
import dev.capsem.profiles.file.Entry.ServerEntry;
import dev.capsem.profiles.mcp.McpServer;
import dev.capsem.profiles.vocabulary.Provenance;
import dev.capsem.source.Layer;
import dev.capsem.source.Place;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/// Rules that follow from `allowed_tools`: a block for every other tool of that server, asked before any rule of a
/// profile. It only ever takes away: an allow at this place would pass by the blocks that people write.
final class DerivedRules {
    private static final String FILE = "derived from allowed_tools of ";

    private DerivedRules() {}

    static List<OwnedEntry> of(Collection<OwnedEntry> entries) {
        Set<String> taken = entries.stream().map(owned -> owned.entry().path()).collect(Collectors.toSet());
        List<OwnedEntry> derived = new ArrayList<>();
        for (OwnedEntry owned : entries) {
            if (owned.entry() instanceof ServerEntry server
                    && !server.server().allowedTools().isEmpty()) {
                RuleId id = freeId(server.server(), taken);
                taken.add(id.value());
                derived.add(rule(id, server, owned.provenance()));
            }
        }
        return derived;
    }

    private static RuleId freeId(McpServer server, Set<String> taken) {
        String name = "allowed_tools_" + server.name().value().replace('.', '_');
        RuleId id = RuleId.of("mcp", name);
        for (int i = 2; taken.contains(id.value()); i++) {
            id = RuleId.of("mcp", name + "_" + i);
        }
        return id;
    }

    private static OwnedEntry rule(RuleId id, ServerEntry entry, Provenance origin) {
        McpServer server = entry.server();
        String tools = server.allowedTools().stream().map(DerivedRules::quoted).collect(Collectors.joining(", "));
        String reason = server.name() + " may only use its allowed_tools";
        String text = "[" + id + "]\non = \"mcp.request\"\nif = '''mcp.request.server_name == "
                + quoted(server.name().value()) + " && !(mcp.request.tool_name in [" + tools
                + "])'''\ndecision = \"block\"\npriority = 0\nreason = \"" + reason + "\"\n";
        RuleEntry rule = new RuleEntry(
                id,
                Optional.of("mcp.request"),
                Optional.of("block"),
                0,
                Optional.of(reason),
                text,
                Place.start(FILE + entry.place()));
        return new OwnedEntry(
                rule, new Provenance(Layer.DERIVED, origin.profile(), rule.place(), true, Optional.of(reason)));
    }

    /// A CEL string inside a literal TOML string, so only CEL's own escapes matter.
    private static String quoted(String text) {
        StringBuilder quoted = new StringBuilder("\"");
        text.chars().forEach(c -> {
            boolean isPlain = c >= ' ' && c < 127 && c != '"' && c != '\\' && c != '\'';
            quoted.append(isPlain ? String.valueOf((char) c) : String.format("\\u%04x", c));
        });
        return quoted.append('"').toString();
    }
}
