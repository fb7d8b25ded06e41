package dev.capsem.events;

import dev.capsem.events.vocabulary.Enforceability;
import dev.capsem.events.vocabulary.FinalAction;
import dev.capsem.events.vocabulary.RedactionState;
import dev.capsem.events.vocabulary.SourceEngine;

/// The observer of an event, its outcome, and how much of it is kept.
public record Judgement(
        SourceEngine sourceEngine,
        FinalAction finalAction,
        Enforceability enforceability,
        RedactionState redactionState) {
    /// Something that had already happened when we saw it.
    public static Judgement observed(SourceEngine engine) {
        return new Judgement(engine, FinalAction.OBSERVE_ONLY, Enforceability.OBSERVE_ONLY, RedactionState.RAW);
    }

    /// Something that waited for our word, and got it.
    public static Judgement decided(SourceEngine engine, FinalAction action) {
        return new Judgement(engine, action, Enforceability.INLINE_BLOCKABLE, RedactionState.RAW);
    }
}
