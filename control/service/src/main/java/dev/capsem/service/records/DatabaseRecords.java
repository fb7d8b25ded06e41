package dev.capsem.service.records;

import dev.capsem.service.problem.ServiceProblem;
import dev.capsem.telemetry.TelemetryException;
import dev.capsem.telemetry.chain.ChainHead;
import dev.capsem.telemetry.chain.ChainVerifier;
import dev.capsem.telemetry.chain.Verification;
import dev.capsem.telemetry.read.HarExport;
import dev.capsem.telemetry.read.SessionReader;
import dev.capsem.telemetry.report.CostReport;
import dev.capsem.telemetry.report.Timeline;
import dev.capsem.telemetry.write.MainDatabase;
import dev.capsem.wire.service.HistoryReply;
import dev.capsem.wire.service.VerifyReply;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import tools.jackson.databind.node.ObjectNode;

/// Answers from session.db and main.db.
public final class DatabaseRecords implements SessionRecords {
    private final MainDatabase main;

    public DatabaseRecords(MainDatabase main) {
        this.main = main;
    }

    @Override
    public HistoryReply history(Path sessionDir, HistoryQuery query) {
        SessionReader.Layer layer = SessionReader.Layer.valueOf(query.layer().toUpperCase(Locale.ROOT));
        return ask(
                sessionDir,
                reader -> reader.history(new SessionReader.HistoryQuery(
                        layer, query.search(), query.limit(), query.offset(), query.folds())));
    }

    @Override
    public ObjectNode counts(Path sessionDir) {
        return ask(sessionDir, SessionReader::counts);
    }

    @Override
    public ObjectNode processes(Path sessionDir) {
        return ask(sessionDir, SessionReader::processes);
    }

    @Override
    public String securityLog(Path sessionDir) {
        return Files.exists(database(sessionDir)) ? ask(sessionDir, SessionReader::securityLog) : "";
    }

    @Override
    public ObjectNode cost(Path sessionDir, CostReport.CostBy by) {
        return ask(sessionDir, reader -> reader.cost(by));
    }

    @Override
    public HarExport har(Path sessionDir, String version) {
        return answered(() -> HarExport.of(database(sessionDir), version));
    }

    @Override
    public ObjectNode timeline(Path sessionDir, Timeline.Query query) {
        return ask(sessionDir, reader -> reader.timeline(query));
    }

    @Override
    public ObjectNode troubles(Path sessionDir, String since, int limit) {
        return ask(sessionDir, reader -> reader.troubles(since, limit));
    }

    @Override
    public VerifyReply verify(String id, Path sessionDir) {
        Optional<ChainHead> kept = main.head(id);
        Verification verification = kept.isPresent()
                ? ChainVerifier.verify(database(sessionDir), kept.get())
                : ChainVerifier.verify(database(sessionDir));
        return switch (verification) {
            case Verification.Intact intact ->
                new VerifyReply(true, intact.events(), intact.gaps(), intact.lost(), Optional.empty());
            case Verification.Broken broken ->
                new VerifyReply(
                        false,
                        broken.seq(),
                        0,
                        Map.of(),
                        Optional.of(broken.problem().name().toLowerCase(Locale.ROOT) + " at link " + broken.seq()
                                + ": expected " + broken.expected() + ", found " + broken.found()));
            case Verification.Missing missing -> new VerifyReply(false, 0, 0, Map.of(), Optional.of(missing.reason()));
        };
    }

    @Override
    public ObjectNode stats(Map<String, Path> running) {
        running.forEach((id, directory) -> main.tally(id, database(directory)));
        return main.stats();
    }

    private static <T> T ask(Path sessionDir, Function<SessionReader, T> question) {
        return answered(() -> {
            try (SessionReader reader = SessionReader.open(database(sessionDir))) {
                return question.apply(reader);
            }
        });
    }

    private static <T> T answered(Supplier<T> question) {
        try {
            return question.get();
        } catch (TelemetryException e) {
            throw new ServiceProblem(
                    e.code() == TelemetryException.Code.OPEN_FAILED
                            ? ServiceProblem.Code.NOTHING_RECORDED
                            : ServiceProblem.Code.OPERATION_FAILED,
                    String.valueOf(e.getMessage()),
                    "start the sandbox once, or check it: `capsem verify`",
                    e);
        }
    }

    private static Path database(Path sessionDir) {
        return sessionDir.resolve("session.db");
    }
}
