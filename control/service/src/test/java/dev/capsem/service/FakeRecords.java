package dev.capsem.service;

import dev.capsem.service.records.SessionRecords;
import dev.capsem.telemetry.read.HarExport;
import dev.capsem.telemetry.read.SessionReader;
import dev.capsem.telemetry.report.CostReport;
import dev.capsem.telemetry.report.Timeline;
import dev.capsem.wire.json.Json;
import dev.capsem.wire.service.HistoryReply;
import dev.capsem.wire.service.VerifyReply;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.node.ObjectNode;

/// Records of nothing.
public final class FakeRecords implements SessionRecords {
    @Override
    public HistoryReply history(Path sessionDir, HistoryQuery query) {
        return new HistoryReply(List.of(), 0, false);
    }

    @Override
    public ObjectNode counts(Path sessionDir) {
        return Json.object();
    }

    @Override
    public ObjectNode processes(Path sessionDir) {
        return Json.object();
    }

    @Override
    public String securityLog(Path sessionDir) {
        return "";
    }

    @Override
    public ObjectNode cost(Path sessionDir, CostReport.CostBy by) {
        return Json.object().put("by", by.name());
    }

    @Override
    public HarExport har(Path sessionDir, String version) {
        return HarExport.of(sessionDir.resolve("session.db"), version);
    }

    @Override
    public ObjectNode timeline(Path sessionDir, Timeline.Query query) {
        try (SessionReader reader = SessionReader.open(sessionDir.resolve("session.db"))) {
            return reader.timeline(query);
        }
    }

    @Override
    public ObjectNode troubles(Path sessionDir, String since, int limit) {
        try (SessionReader reader = SessionReader.open(sessionDir.resolve("session.db"))) {
            return reader.troubles(since, limit);
        }
    }

    @Override
    public VerifyReply verify(String id, Path sessionDir) {
        return new VerifyReply(true, 0, 0, Map.of(), Optional.empty());
    }

    @Override
    public ObjectNode stats(Map<String, Path> running) {
        return Json.object();
    }
}
