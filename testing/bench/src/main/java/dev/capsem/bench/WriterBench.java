package dev.capsem.bench;

import dev.capsem.events.EventSink.Receipt;
import dev.capsem.events.Judgement;
import dev.capsem.events.RecordedExchange;
import dev.capsem.events.ResolvedEvent;
import dev.capsem.events.row.Attribution;
import dev.capsem.events.row.Caller;
import dev.capsem.events.row.ExecRow;
import dev.capsem.events.row.FsRow;
import dev.capsem.events.row.Projection;
import dev.capsem.events.vocabulary.AttributionScope;
import dev.capsem.events.vocabulary.Correlation;
import dev.capsem.events.vocabulary.EventType;
import dev.capsem.events.vocabulary.FinalAction;
import dev.capsem.events.vocabulary.IdSource;
import dev.capsem.events.vocabulary.OriginKind;
import dev.capsem.events.vocabulary.SourceEngine;
import dev.capsem.telemetry.SessionIdentity;
import dev.capsem.telemetry.write.SessionWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.function.Consumer;
import java.util.function.Supplier;

/// How many rows a second one session's writer stores, hash chain included, while the producer never waits for
/// the disk.
record WriterBench() implements BenchMain.Part {
    private static final SessionIdentity IDENTITY = new SessionIdentity("bench", "coding", "0");
    private static final Attribution ATTRIBUTION = new Attribution(
            AttributionScope.VM,
            OriginKind.TEST_FIXTURE,
            Optional.empty(),
            Optional.of("bench"),
            Optional.of("bench"),
            Optional.of("coding"),
            Optional.empty(),
            Optional.of("0"));
    private static final String BUDGET = "≥ 80000/s";

    @Override
    public void run(Consumer<Measurement> found) throws IOException {
        Path directory = Files.createTempDirectory("cswriter");
        InstantSource clock = InstantSource.system();
        IdSource ids = new IdSource(clock, new Random(7));
        Instant now = clock.instant();
        measure(
                found,
                directory.resolve("exec.db"),
                "writer: exec events, 3 rows each",
                60_000,
                3,
                () -> RecordedExchange.of(
                        ResolvedEvent.plain(
                                ids.nextEventId(),
                                now,
                                EventType.PROCESS_EXEC,
                                Judgement.decided(SourceEngine.PROCESS, FinalAction.CONTINUE),
                                ATTRIBUTION,
                                Correlation.NONE),
                        new ExecRow(now, 1, "make test", ExecRow.Source.API, Optional.empty(), Caller.UNKNOWN)));
        List<Projection> files = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            files.add(new FsRow(now, FsRow.Action.CREATED, "/root/file-" + i, OptionalLong.of(i), Optional.empty()));
        }
        measure(
                found,
                directory.resolve("files.db"),
                "writer: file events, 100 rows each",
                3_000,
                102,
                () -> new RecordedExchange(
                        ResolvedEvent.plain(
                                ids.nextEventId(),
                                now,
                                EventType.FILE_ACTIVITY,
                                Judgement.observed(SourceEngine.FILE),
                                ATTRIBUTION,
                                Correlation.NONE),
                        files));
        BenchPrograms.run(List.of("rm", "-rf", directory.toString()));
    }

    private static void measure(
            Consumer<Measurement> found,
            Path file,
            String name,
            int exchanges,
            int rowsEach,
            Supplier<RecordedExchange> source)
            throws IOException {
        try (SessionWriter writer = SessionWriter.open(file, IDENTITY, InstantSource.system())) {
            double millis = BenchStopwatch.millis(() -> {
                for (int i = 0; i < exchanges; i++) {
                    if (writer.recordOrWait(source.get()) != Receipt.ACCEPTED) {
                        throw new IOException("the writer did not take an exchange");
                    }
                }
                writer.flush();
            });
            found.accept(new Measurement.Figure(name, exchanges * 1000.0 / millis, "exchanges/s", Optional.empty()));
            found.accept(new Measurement.Figure(
                    name + ", rows", (double) exchanges * rowsEach * 1000.0 / millis, "rows/s", Optional.of(BUDGET)));
        }
    }
}
