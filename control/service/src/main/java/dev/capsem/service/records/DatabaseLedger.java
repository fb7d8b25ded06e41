package dev.capsem.service.records;

import dev.capsem.service.registry.SandboxFacts;
import dev.capsem.service.table.SessionLedger;
import dev.capsem.telemetry.TelemetryException;
import dev.capsem.telemetry.write.MainDatabase;
import dev.capsem.wire.SandboxId;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The ledger in main.db.
public final class DatabaseLedger implements SessionLedger {
    private static final Logger LOG = LoggerFactory.getLogger(DatabaseLedger.class);
    private static final long BYTES_PER_MB = 1_048_576;

    private final MainDatabase main;

    public DatabaseLedger(MainDatabase main) {
        this.main = main;
    }

    @Override
    public void created(SandboxFacts facts, Mode mode, Optional<String> command) {
        quietly(() -> main.created(start(facts, mode, command)));
    }

    @Override
    public void resumed(SandboxFacts facts) {
        quietly(() -> main.started(start(facts, Mode.PERSISTENT, Optional.empty())));
    }

    private static MainDatabase.SessionStart start(SandboxFacts facts, Mode mode, Optional<String> command) {
        return new MainDatabase.SessionStart(
                facts.name().value(),
                mode.name().toLowerCase(Locale.ROOT),
                command,
                OptionalLong.of(facts.limits().memoryMb() * BYTES_PER_MB),
                facts.forkedFrom(),
                mode == Mode.PERSISTENT);
    }

    @Override
    public void ended(SandboxId id, Path sessionDir, End end) {
        MainDatabase.End how = switch (end) {
            case STOPPED -> MainDatabase.End.STOPPED;
            case CRASHED -> MainDatabase.End.CRASHED;
        };
        quietly(() -> main.ended(id.value(), how, sessionDir.resolve("session.db")));
    }

    @Override
    public void renamed(SandboxId from, SandboxId to) {
        quietly(() -> main.renamed(from.value(), to.value()));
    }

    private static void quietly(Runnable change) {
        try {
            change.run();
        } catch (TelemetryException e) {
            LOG.error("main.db did not take a change", e);
        }
    }
}
