package dev.capsem.sandboxmcp.io;

/// The server's only credential.
public final class BearerToken {
    private static final String REDACTED = "[REDACTED]";

    private final String value;

    public BearerToken(String value) {
        this.value = value;
    }

    /// For the header of a request, and nothing else.
    public String header() {
        return "Bearer " + value;
    }

    /// The text without any echo of the token.
    public String redacted(String text) {
        return text.replace(value, REDACTED);
    }

    @Override
    public String toString() {
        return "***";
    }
}
