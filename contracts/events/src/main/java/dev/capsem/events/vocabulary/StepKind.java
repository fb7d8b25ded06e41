package dev.capsem.events.vocabulary;

import java.util.Locale;

/// A stage of the engine that touched the event.
public enum StepKind implements WireNamed {
    PREPROCESSOR,
    PLUGIN_CALLBACK,
    ENFORCEMENT_MATCH,
    CONFIRM,
    RATE_LIMIT_CHECK,
    DETECTION_MATCH,
    POSTPROCESSOR,
    EMITTER_DELIVERY;

    private final String wireName = name().toLowerCase(Locale.ROOT);

    @Override
    public String wireName() {
        return wireName;
    }
}
