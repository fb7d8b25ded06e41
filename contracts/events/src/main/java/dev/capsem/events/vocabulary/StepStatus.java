package dev.capsem.events.vocabulary;

import java.util.Locale;

/// The result of a stage.
public enum StepStatus implements WireNamed {
    APPLIED,
    MATCHED,
    SKIPPED,
    ERROR;

    private final String wireName = name().toLowerCase(Locale.ROOT);

    @Override
    public String wireName() {
        return wireName;
    }
}
