package dev.capsem.process.network;

import dev.capsem.events.security.BlockCause;
import dev.capsem.events.security.Evaluation;
import dev.capsem.events.security.SecurityEvent;
import dev.capsem.events.security.SecurityGate;

/// Blocks everything, for one reason.
record ShutGate(String reason) implements SecurityGate {
    @Override
    public Evaluation evaluate(SecurityEvent event) {
        return Evaluation.blocked(BlockCause.ENGINE_FAILURE, reason);
    }

    @Override
    public boolean needsBody(SecurityEvent event) {
        return false;
    }
}
