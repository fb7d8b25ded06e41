package dev.capsem.events.security;

/// The port through which every stage asks before it acts. Pure and quick: safe on an event loop, safe for
/// many threads.
public interface SecurityGate {
    /// Never throws; whatever goes wrong inside is a block. Each call sees one consistent set of rules: the newest.
    Evaluation evaluate(SecurityEvent event);

    /// Whether the answer to this event, whose body is [Body.Unread], could depend on that body. If not, it may be
    /// decided now and the body may stream.
    boolean needsBody(SecurityEvent event);

    /// Whether the answer to an HTTP request could depend on a public address that its name leads to. If not, it need
    /// not be asked about once more when its name is resolved; at any other address it must.
    default boolean needsAddress() {
        return true;
    }
}
