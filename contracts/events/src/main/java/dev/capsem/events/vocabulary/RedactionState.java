package dev.capsem.events.vocabulary;

/// Whether what is stored is what was seen.
public enum RedactionState implements WireNamed {
    RAW("raw"),
    REDACTED("redacted"),
    SUMMARY_ONLY("summary-only");

    private final String wireName;

    RedactionState(String wireName) {
        this.wireName = wireName;
    }

    @Override
    public String wireName() {
        return wireName;
    }
}
