package dev.capsem.events.security;

import dev.capsem.events.vocabulary.Correlation;

/// The port that gives each new event its id, its time and its owner. Safe for many threads.
public interface EnvelopeSource {
    /// For an event of the guest's that waits for our word.
    Envelope inline(Correlation correlation);
}
