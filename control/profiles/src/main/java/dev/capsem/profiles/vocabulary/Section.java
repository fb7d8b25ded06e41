package dev.capsem.profiles.vocabulary;

import dev.capsem.events.vocabulary.WireNamed;

/// The parts of a profile that can be locked as a whole.
public enum Section implements WireNamed {
    MCP_SERVERS("mcpServers"),
    SECURITY_RULES("security_rules"),
    VM("vm"),
    IMPORT("import"),
    NETWORK("network"),
    AI("ai"),
    GRANTS("grants"),
    BUDGETS("budgets");

    private final String wireName;

    Section(String wireName) {
        this.wireName = wireName;
    }

    @Override
    public String wireName() {
        return wireName;
    }
}
