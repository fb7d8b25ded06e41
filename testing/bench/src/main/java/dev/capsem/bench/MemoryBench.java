package dev.capsem.bench;

import dev.capsem.wire.service.ExecRequest;
import dev.capsem.wire.service.ProvisionRequest;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/// Resident memory of capsem-process at 1, 10 and 30 idle sandboxes.
record MemoryBench(Path dist) implements BenchMain.Part {
    @Override
    public void run(Consumer<Measurement> found) throws IOException {
        try (BenchHome home = BenchHome.start(dist)) {
            int running = 0;
            for (int wanted : List.of(1, 10, 30)) {
                for (; running < wanted; running++) {
                    String id = home.client()
                            .provision(ProvisionRequest.temporary())
                            .id();
                    home.client().exec(id, ExecRequest.argv(List.of("/bin/true")));
                }
                List<Double> resident = home.residentMegabytes("ProcessMain");
                double average = resident.stream()
                        .mapToDouble(Double::doubleValue)
                        .average()
                        .orElse(0);
                found.accept(new Measurement.Figure(
                        "RSS per process, " + wanted + " sandboxes", average, "MB", Optional.of("≤ 130 MB")));
            }
            double service = home.residentMegabytes("ServiceMain").stream()
                    .mapToDouble(Double::doubleValue)
                    .sum();
            found.accept(new Measurement.Figure("RSS of the service, 30 sandboxes", service, "MB", Optional.empty()));
        }
    }
}
