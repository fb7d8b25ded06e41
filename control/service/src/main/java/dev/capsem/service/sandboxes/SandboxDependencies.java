package dev.capsem.service.sandboxes;

import dev.capsem.sandbox.SandboxDriver;
import dev.capsem.service.limits.DiskFloor;
import dev.capsem.service.limits.Endings;
import dev.capsem.service.limits.ServiceSettings;
import dev.capsem.service.processes.Instances;
import dev.capsem.service.processes.SpareProcesses;
import dev.capsem.service.profiles.SessionPolicy;
import dev.capsem.service.recovery.SessionCleanup;
import dev.capsem.service.registry.PersistentRegistry;
import dev.capsem.service.table.SandboxChanges;
import dev.capsem.service.table.SandboxTable;
import dev.capsem.service.table.SessionLedger;
import dev.capsem.wire.HomeLayout;
import java.nio.file.Path;
import java.time.Clock;
import java.util.random.RandomGenerator;

/// The dependencies of [Sandboxes] and [SessionCopier].
///
/// @param userHome never shown to a sandbox as a whole
public record SandboxDependencies(
        HomeLayout layout,
        Path userHome,
        SandboxDriver driver,
        PersistentRegistry registry,
        SessionLedger ledger,
        SandboxTable table,
        Instances instances,
        SpareProcesses spares,
        SessionCleanup cleanup,
        ServiceSettings settings,
        Clock clock,
        RandomGenerator random,
        String version,
        SandboxChanges changes,
        SessionPolicy policy,
        DiskFloor floor,
        Endings endings) {}
