package dev.capsem.events.security;

import dev.capsem.events.vocabulary.WireNamed;
import java.util.Locale;

/// Why something was blocked. Everything but `RULE` is the engine failing closed.
public enum BlockCause implements WireNamed {
    /// A rule says block.
    RULE,
    /// Rules are loaded and none of them matched.
    NO_RULE_MATCHED,
    /// Nothing valid could be loaded.
    NO_RULES,
    /// A rule could not be evaluated (a division by zero, a number too large).
    RULE_FAILED,
    /// A rule, or all of them together, needed more work than one event is worth.
    RULE_TOO_COSTLY,
    /// The outcome depends on a body larger than what is inspected.
    BODY_TOO_LARGE,
    /// The outcome depends on a body that was not read before asking.
    BODY_UNREAD,
    /// So many bodies were held for rules already that there was no room for this one.
    INSPECTION_FULL,
    /// A rewrite did not fit the event, or its result would not be valid.
    REWRITE_FAILED,
    /// A person was to be asked, and did not approve it in time.
    NOT_APPROVED,
    /// The tool was offered when the call came, and is not any more.
    TOOL_GONE,
    /// The tool became another one while a person was asked about it.
    TOOL_CHANGED,
    /// The MCP server is not there, or does not say what tools it has.
    SERVER_AWAY,
    /// The name leads to an address inside the host's own networks, and no rule speaks of such addresses.
    PRIVATE_ADDRESS,
    /// A thing that Capsem does not carry, whatever the rules say: a zone transfer, a protocol that it cannot read.
    UNSUPPORTED,
    /// It is malformed, or contradicts the connection it came on: two readers could take it for two things.
    MALFORMED_TRAFFIC,
    /// Servers may read its path in several ways, and the rules do not say the same of all of them.
    AMBIGUOUS_PATH,
    /// Servers may read its body in several ways, and the rules do not say the same of all of them.
    AMBIGUOUS_BODY,
    /// The stand-in of a secret is where no grant covers it.
    PLACEHOLDER_LEAK,
    /// A grant's secret is needed, and its source gives none.
    SECRET_UNAVAILABLE,
    /// An answer holds a secret, and cannot be freed of it any more.
    SECRET_IN_RESPONSE,
    /// A budget has no room for it, or nobody could be asked whether it has.
    BUDGET_EXCEEDED,
    /// Our own bug.
    ENGINE_FAILURE;

    private final String wireName = name().toLowerCase(Locale.ROOT);

    @Override
    public String wireName() {
        return wireName;
    }
}
