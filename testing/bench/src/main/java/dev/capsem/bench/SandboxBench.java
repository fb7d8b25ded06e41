package dev.capsem.bench;

import dev.capsem.client.io.ServiceClient;
import dev.capsem.wire.service.ExecRequest;
import dev.capsem.wire.service.ProvisionRequest;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;

/// A sandbox's life through the API: create to first command, commands, fork, delete.
///
/// @param isQuick fewer rounds, and nothing that takes long
record SandboxBench(Path dist, boolean isQuick) implements BenchMain.Part {
    private static final ExecRequest TRUE = ExecRequest.argv(List.of("/bin/true"));

    @Override
    public void run(Consumer<Measurement> found) throws IOException {
        cold(found);
        try (BenchHome home = BenchHome.start(dist)) {
            ServiceClient client = home.client();
            warm(client, found);
            execs(client, found);
            if (!isQuick) {
                forks(client, found);
                twentyAtOnce(client, found);
            }
        }
    }

    /// The first sandbox of a service that has just started: no spare is warm yet. In a new home the base template is
    /// made as well, once.
    private void cold(Consumer<Measurement> found) throws IOException {
        double[] newHome = new double[isQuick ? 1 : 3];
        double[] knownHome = new double[newHome.length];
        for (int round = 0; round < newHome.length; round++) {
            try (BenchHome home = BenchHome.start(dist)) {
                newHome[round] = BenchStopwatch.millis(() -> createAndExec(home.client()));
                home.restart();
                knownHome[round] = BenchStopwatch.millis(() -> createAndExec(home.client()));
            }
        }
        found.accept(Measurement.latency("create → first exec, first ever in a home", newHome));
        found.accept(latency("create → first exec, cold service", knownHome, 1000, Double.NaN));
    }

    private void warm(ServiceClient client, Consumer<Measurement> found) throws IOException {
        double[] create = new double[isQuick ? 5 : 20];
        double[] delete = new double[create.length];
        for (int round = 0; round < create.length; round++) {
            // The spare is replaced in the background; a person does not create twenty a second either.
            BenchStopwatch.pause(1500);
            String[] id = new String[1];
            create[round] = BenchStopwatch.millis(() -> id[0] = createAndExec(client));
            delete[round] = BenchStopwatch.millis(() -> client.delete(id[0]));
        }
        found.accept(latency("create → first exec, warm spare", create, 60, 200));
        found.accept(Measurement.latency("delete", delete));
    }

    private static void execs(ServiceClient client, Consumer<Measurement> found) throws IOException {
        String id = client.provision(ProvisionRequest.temporary()).id();
        BenchStopwatch.millis(200, () -> client.exec(id, TRUE));
        found.accept(latency("exec /bin/true", BenchStopwatch.millis(500, () -> client.exec(id, TRUE)), 3, 10));
        client.delete(id);
    }

    private static void forks(ServiceClient client, Consumer<Measurement> found) throws IOException {
        String id = client.provision(ProvisionRequest.temporary()).id();
        client.exec(id, ExecRequest.shell("for i in $(seq 500); do head -c 8192 /dev/urandom > f$i; done"));
        List<Double> millis = new ArrayList<>();
        for (int round = 0; round < 10; round++) {
            String name = "fork-" + round;
            millis.add(BenchStopwatch.millis(() -> client.fork(id, name, "bench")));
        }
        found.accept(new Measurement.Latency("fork, 500 files", millis, Optional.of(100.0), Optional.empty()));
        client.purge(true);
    }

    private static void twentyAtOnce(ServiceClient client, Consumer<Measurement> found) throws IOException {
        double millis = BenchStopwatch.millis(() -> {
            try (ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor()) {
                List<Future<String>> all = new ArrayList<>();
                for (int i = 0; i < 20; i++) {
                    all.add(callers.submit(() -> createAndExec(client)));
                }
                for (Future<String> one : all) {
                    one.get();
                }
            } catch (ExecutionException failed) {
                throw new IOException(failed);
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
                throw new IOException(interrupted);
            }
        });
        found.accept(new Measurement.Figure("20 creates at once, all ran", millis / 1000, "s", Optional.of("≤ 12 s")));
        client.purge(true);
    }

    private static String createAndExec(ServiceClient client) {
        String id = client.provision(ProvisionRequest.temporary()).id();
        client.exec(id, TRUE);
        return id;
    }

    private static Measurement latency(String name, double[] millis, double p50, double p99) {
        Measurement.Latency plain = Measurement.latency(name, millis);
        return new Measurement.Latency(
                name, plain.millis(), Optional.of(p50), Double.isNaN(p99) ? Optional.empty() : Optional.of(p99));
    }
}
