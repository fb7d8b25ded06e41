package dev.capsem.wire.aggregator;

/// A token or header value. Shown to nobody.
public record SecretText(String reveal) {
    @Override
    public String toString() {
        return "***";
    }
}
