package dev.capsem.bench;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/// How long a trivial command takes from fork to exit.
record StartBench(Path dist) implements BenchMain.Part {
    private static final int ROUNDS = 20;

    @Override
    public void run(Consumer<Measurement> found) throws IOException {
        for (List<String> argv : List.of(List.of("capsem", "version"), List.of("capgate", "--help"))) {
            String program = dist.resolve("bin").resolve(argv.getFirst()).toString();
            double[] all = BenchStopwatch.millis(ROUNDS, () -> BenchPrograms.run(List.of(program, argv.getLast())));
            Measurement.Latency latency = Measurement.latency(String.join(" ", argv), all);
            found.accept(
                    new Measurement.Latency(latency.name(), latency.millis(), Optional.of(150.0), Optional.empty()));
        }
    }
}
