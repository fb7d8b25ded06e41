package dev.capsem.service.table;

import dev.capsem.service.registry.SandboxFacts;
import dev.capsem.wire.SandboxId;
import java.nio.file.Path;
import java.util.Optional;

/// Remembers every session of this host after its sandbox is gone (main.db). Never fails its caller: a sandbox
/// matters more than its line in the ledger.
public interface SessionLedger {
    enum Mode {
        RUN,
        TEMPORARY,
        PERSISTENT
    }

    enum End {
        STOPPED,
        CRASHED
    }

    /// A new sandbox, whatever sandboxes of that name there were before.
    void created(SandboxFacts facts, Mode mode, Optional<String> command);

    /// A persistent one, again.
    void resumed(SandboxFacts facts);

    /// Called while the session's database is still there.
    void ended(SandboxId id, Path sessionDir, End end);

    void renamed(SandboxId from, SandboxId to);
}
