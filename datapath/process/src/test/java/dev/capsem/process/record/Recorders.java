package dev.capsem.process.record;

import dev.capsem.events.EventSink;
import dev.capsem.events.vocabulary.IdSource;
import dev.capsem.process.configuration.SessionConfiguration;
import dev.capsem.wire.SandboxId;
import dev.capsem.wire.SandboxSpec;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.function.Supplier;

/// A recorder of a made-up sandbox at a fixed time.
public final class Recorders {
    public static final InstantSource CLOCK = InstantSource.fixed(Instant.parse("2026-01-02T03:04:05Z"));

    private Recorders() {}

    public static Recorder into(EventSink sink) {
        return into(sink, () -> SessionConfiguration.NONE);
    }

    public static Recorder into(EventSink sink, Supplier<SessionConfiguration> configuration) {
        SandboxSpec spec = new SandboxSpec(
                new SandboxId("brave-otter-tmp"),
                Path.of("/nowhere"),
                Path.of("/nowhere"),
                new SandboxSpec.Limits(2_048, 2, 1_024),
                Map.of(),
                Optional.empty(),
                "default",
                "me");
        return new Recorder(sink, new IdSource(CLOCK, new Random(1)), CLOCK, spec, configuration);
    }
}
