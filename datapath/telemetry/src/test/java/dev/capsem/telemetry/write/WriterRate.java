package dev.capsem.telemetry.write;

import dev.capsem.events.EventSink.Receipt;
import dev.capsem.events.RecordedExchange;
import dev.capsem.events.vocabulary.FinalAction;
import dev.capsem.telemetry.Samples;
import dev.capsem.telemetry.chain.ChainVerifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.function.Supplier;

/// Prints how many exchanges a second the writer stores, and how long opening takes. Not a test: run its `main`.
final class WriterRate {
    private WriterRate() {}

    public static void main(String[] args) throws Exception {
        Path directory = Files.createTempDirectory("writer-rate");
        int count = args.length > 0 ? Integer.parseInt(args[0]) : 100_000;
        long start = System.nanoTime();
        SessionWriter.open(directory.resolve("cold.db"), Samples.IDENTITY, InstantSource.system())
                .close();
        System.out.printf("first open, schema and close: %.1f ms%n", (System.nanoTime() - start) / 1e6);
        start = System.nanoTime();
        SessionWriter.open(directory.resolve("cold.db"), Samples.IDENTITY, InstantSource.system())
                .close();
        System.out.printf("reopen and close: %.1f ms%n", (System.nanoTime() - start) / 1e6);

        Samples samples = new Samples();
        measure(
                directory.resolve("a.db"),
                "http.request with step and net row",
                count,
                4,
                () -> samples.net(FinalAction.CONTINUE));
        measure(directory.resolve("b.db"), "process.exec with exec row", count, 3, () -> samples.exec(1));
        measure(directory.resolve("c.db"), "file.activity with 100 fs rows", count / 50, 102, () -> samples.files(100));
    }

    private static void measure(Path file, String what, int count, int rowsEach, Supplier<RecordedExchange> source) {
        long start = System.nanoTime();
        SessionWriter writer = SessionWriter.open(file, Samples.IDENTITY, InstantSource.system());
        for (int i = 0; i < count; i++) {
            if (writer.recordOrWait(source.get()) != Receipt.ACCEPTED) {
                throw new IllegalStateException("not accepted");
            }
        }
        writer.flush();
        double seconds = (System.nanoTime() - start) / 1e9;
        System.out.printf(
                "%s: %,.0f exchanges/s, %,.0f rows/s%n", what, count / seconds, (double) count * rowsEach / seconds);
        writer.close();
        start = System.nanoTime();
        System.out.printf("  %s in %.0f ms%n", ChainVerifier.verify(file), (System.nanoTime() - start) / 1e6);
    }
}
