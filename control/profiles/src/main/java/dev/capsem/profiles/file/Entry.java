package dev.capsem.profiles.file;

import dev.capsem.events.budget.Budget;
import dev.capsem.events.security.RuleId;
import dev.capsem.profiles.grant.ProfileGrant;
import dev.capsem.profiles.mcp.McpServer;
import dev.capsem.profiles.vocabulary.Section;
import dev.capsem.source.Layer;
import dev.capsem.source.Place;
import java.util.Optional;

/// A named part of a profile, which layers add, remove and lock.
public sealed interface Entry {
    /// As directives and diffs spell it.
    String path();

    Section section();

    Place place();

    /// A rule as its author wrote it.
    ///
    /// @param on the type of event, if the rule says one; the engine refuses a rule that does not
    /// @param text whole lines, the first being the table's header
    record RuleEntry(
            RuleId id,
            Optional<String> on,
            Optional<String> decision,
            int priority,
            Optional<String> reason,
            String text,
            Place place)
            implements Entry {
        @Override
        public String path() {
            return id.value();
        }

        @Override
        public Section section() {
            return Section.SECURITY_RULES;
        }

        public boolean isCatchAll() {
            return priority == Layer.CATCH_ALL;
        }
    }

    /// An MCP server.
    record ServerEntry(McpServer server, Place place) implements Entry {
        @Override
        public String path() {
            return "mcpServers." + server.name();
        }

        @Override
        public Section section() {
            return Section.MCP_SERVERS;
        }
    }

    /// A credential that may leave.
    record GrantEntry(ProfileGrant grant, Place place) implements Entry {
        public static final String PATH = "grant.";

        @Override
        public String path() {
            return PATH + grant.name();
        }

        @Override
        public Section section() {
            return Section.GRANTS;
        }
    }

    /// A limit on what sandboxes may spend.
    record BudgetEntry(Budget budget, Place place) implements Entry {
        public static final String PATH = "budget.";

        @Override
        public String path() {
            return PATH + budget.name();
        }

        @Override
        public Section section() {
            return Section.BUDGETS;
        }
    }

    /// One value of `[vm]`, `[import]`, `[network]` or `[ai]`.
    record SettingEntry(Setting setting, String value, Place place) implements Entry {
        @Override
        public String path() {
            return setting.path();
        }

        @Override
        public Section section() {
            return setting.section();
        }
    }
}
