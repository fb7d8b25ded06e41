package dev.capsem.service.table;

import dev.capsem.service.registry.SandboxFacts;
import dev.capsem.wire.SandboxId;
import java.util.Optional;

/// One sandbox at one moment.
///
/// @param instance present while it is live and its process is known
public record Sandbox(SandboxFacts facts, boolean persistent, Status status, Optional<Instance> instance) {
    public SandboxId id() {
        return facts.name();
    }

    public static Sandbox at(SandboxFacts facts, boolean persistent, Status status) {
        return new Sandbox(facts, persistent, status, Optional.empty());
    }

    public static Sandbox registered(SandboxFacts facts) {
        return at(facts, true, facts.lastError().isPresent() ? Status.DEFUNCT : Status.STOPPED);
    }

    public Sandbox live(Status now, Instance running) {
        return new Sandbox(facts, persistent, now, Optional.of(running));
    }

    public Sandbox with(SandboxFacts newFacts) {
        return new Sandbox(newFacts, persistent, status, instance);
    }
}
