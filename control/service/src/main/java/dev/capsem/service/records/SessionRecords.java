package dev.capsem.service.records;

import dev.capsem.telemetry.read.HarExport;
import dev.capsem.telemetry.report.CostReport;
import dev.capsem.telemetry.report.Timeline;
import dev.capsem.wire.service.HistoryReply;
import dev.capsem.wire.service.VerifyReply;
import java.nio.file.Path;
import java.util.Map;
import tools.jackson.databind.node.ObjectNode;

/// Questions about what was recorded, each answered from the files themselves; a running sandbox is not disturbed.
public interface SessionRecords {
    /// @param search part of the command; empty for all
    /// @param layer `all`, `exec` or `audit`
    /// @param folds like processes of one command are one entry
    record HistoryQuery(int limit, int offset, String search, String layer, boolean folds) {}

    HistoryReply history(Path sessionDir, HistoryQuery query);

    ObjectNode counts(Path sessionDir);

    ObjectNode processes(Path sessionDir);

    /// The newest security events, one JSON line each, oldest first; empty when nothing was recorded.
    String securityLog(Path sessionDir);

    /// The cost of model calls.
    ObjectNode cost(Path sessionDir, CostReport.CostBy by);

    /// Ready to be written; a session without a record is refused before.
    HarExport har(Path sessionDir, String version);

    /// The events, in order: `columns` and `rows`.
    ObjectNode timeline(Path sessionDir, Timeline.Query query);

    /// Failures, by kind.
    ObjectNode troubles(Path sessionDir, String since, int limit);

    VerifyReply verify(String id, Path sessionDir);

    /// All sessions of this host.
    ///
    /// @param running the directories of those whose sums change while they run, by id
    ObjectNode stats(Map<String, Path> running);
}
