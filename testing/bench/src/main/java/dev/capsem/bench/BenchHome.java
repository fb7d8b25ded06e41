package dev.capsem.bench;

import dev.capsem.client.io.ServiceClient;
import dev.capsem.client.launch.ServiceLauncher;
import dev.capsem.wire.HomeLayout;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// A home of its own with a running service, gone afterwards.
final class BenchHome implements AutoCloseable {
    private final Path directory;
    private final HomeLayout layout;
    private final Path dist;
    private ServiceClient client;

    private BenchHome(Path directory, HomeLayout layout, Path dist) {
        this.directory = directory;
        this.layout = layout;
        this.dist = dist;
        this.client = connect();
    }

    static BenchHome start(Path dist) throws IOException {
        Path directory = Files.createTempDirectory("csbench");
        HomeLayout layout = HomeLayout.of(Map.of("CAPSEM_HOME", directory.toString()), directory, Path.of("/tmp"));
        BenchHome home = new BenchHome(directory, layout, dist);
        home.client.version();
        return home;
    }

    private ServiceClient connect() {
        return ServiceClient.starting(layout, ServiceLauncher.inDist(dist, layout));
    }

    Path directory() {
        return directory;
    }

    ServiceClient client() {
        return client;
    }

    /// Ends the service and starts another; what the home has learnt stays.
    void restart() throws IOException {
        client.purge(true);
        client.shutdown();
        client.close();
        for (int i = 0; i < 100 && Files.exists(layout.serviceSocket()); i++) {
            BenchStopwatch.pause(50);
        }
        client = connect();
        client.version();
    }

    /// Resident memory of all processes of this home whose command line names `part`, in MB.
    List<Double> residentMegabytes(String part) throws IOException {
        List<Double> all = new ArrayList<>();
        for (long pid :
                ProcessHandle.allProcesses().mapToLong(ProcessHandle::pid).toArray()) {
            Path process = Path.of("/proc/" + pid);
            try {
                String line =
                        Files.readString(process.resolve("cmdline"), java.nio.charset.StandardCharsets.ISO_8859_1);
                if (line.contains(directory.toString()) && line.contains(part)) {
                    for (String status : Files.readAllLines(process.resolve("status"))) {
                        if (status.startsWith("VmRSS:")) {
                            all.add(Long.parseLong(status.replaceAll("\\D", "")) / 1024.0);
                        }
                    }
                }
            } catch (java.nio.file.NoSuchFileException gone) {
                // It ended while we looked.
            }
        }
        return all;
    }

    /// The process whose command line names `part`, somewhere below one whose own names this home.
    ProcessHandle descendant(String part) {
        return ProcessHandle.allProcesses()
                .filter(process -> commandLine(process).contains(part))
                .filter(this::isBelow)
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("no " + part + " runs"));
    }

    private boolean isBelow(ProcessHandle process) {
        for (Optional<ProcessHandle> at = process.parent();
                at.isPresent();
                at = at.get().parent()) {
            if (commandLine(at.get()).contains(directory.toString())) {
                return true;
            }
        }
        return false;
    }

    private static String commandLine(ProcessHandle process) {
        try {
            return Files.readString(
                    Path.of("/proc/" + process.pid() + "/cmdline"), java.nio.charset.StandardCharsets.ISO_8859_1);
        } catch (IOException gone) {
            return "";
        }
    }

    @Override
    public void close() throws IOException {
        client.purge(true);
        client.shutdown();
        client.close();
        BenchPrograms.run(List.of("rm", "-rf", directory.toString()));
    }
}
