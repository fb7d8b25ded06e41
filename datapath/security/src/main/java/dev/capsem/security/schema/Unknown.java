package dev.capsem.security.schema;

/// Stands in a rule's computation where a value does not.
public enum Unknown {
    /// It is not there. Only `exists()` and `has()` can say anything about it.
    MISSING,
    /// It has not been read yet, so it may be anything or missing.
    UNREAD,
    /// It is there, but more than is inspected (or taken out before storing), so it may be anything.
    OPAQUE;

    /// Whether reading it would have given a value that we do not have.
    public boolean isOpen() {
        return this != MISSING;
    }
}
