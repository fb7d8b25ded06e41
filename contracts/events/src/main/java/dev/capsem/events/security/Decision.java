package dev.capsem.events.security;

import dev.capsem.events.vocabulary.WireNamed;
import java.util.Locale;

/// The decisions that a rule can make.
public enum Decision implements WireNamed {
    ALLOW,
    /// A person must answer; without an answer in time it is a block.
    ASK,
    BLOCK,
    /// Goes on, but only as the rule's checked changes leave it.
    REWRITE;

    private final String wireName = name().toLowerCase(Locale.ROOT);

    @Override
    public String wireName() {
        return wireName;
    }
}
