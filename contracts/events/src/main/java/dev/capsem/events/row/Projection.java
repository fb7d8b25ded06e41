package dev.capsem.events.row;

/// A row that tells, in the words of its own table, what a resolved event was about. Always written with that event
/// and after it, in one transaction; never alone.
public sealed interface Projection extends Row
        permits AuditRow,
                DnsRow,
                ExecCompletion,
                ExecRow,
                FsRow,
                GrantUse,
                McpExecutionEvidence,
                McpRow,
                ModelRow,
                NetRow,
                SnapshotRow {}
