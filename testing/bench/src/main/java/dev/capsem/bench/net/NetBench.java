package dev.capsem.bench.net;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/// HTTPS through the engine, beside no proxy, mitmproxy and LittleProxy, one after another in one run.
public final class NetBench {
    private static final Duration WARM_UP = Duration.ofSeconds(4);
    private static final Duration TIME = Duration.ofSeconds(4);

    /// One load and what it showed.
    ///
    /// @param cpuMillis of the proxy, per request
    public record Row(
            String proxy,
            String load,
            double perSecond,
            List<Double> millis,
            long failures,
            Optional<Double> cpuMillis) {}

    /// What is measured for each proxy.
    private record Shape(String name, String path, int connections, boolean reconnects) {}

    private static final List<Shape> SHAPES = List.of(
            new Shape("keep-alive c=1", "/small", 1, false),
            new Shape("keep-alive c=16", "/small", 16, false),
            new Shape("keep-alive c=64", "/small", 64, false),
            new Shape("100 kB c=8", "/large", 8, false),
            new Shape("new connection c=8", "/small", 8, true));

    private final Path directory;
    private final String nginx;
    private final Optional<String> mitmdump;
    private final List<Row> rows = new ArrayList<>();
    private final List<String> notes = new ArrayList<>();

    /// @param directory for keys, configurations and databases; removed by whoever made it
    public NetBench(Path directory, String nginx, Optional<String> mitmdump) {
        this.directory = directory;
        this.nginx = nginx;
        this.mitmdump = mitmdump;
    }

    public List<Row> rows() {
        return List.copyOf(rows);
    }

    /// Sizes of processes, and what was left out.
    public List<String> notes() {
        return List.copyOf(notes);
    }

    public void run() throws IOException {
        try (Origin origin = Origin.start(nginx, directory, freePort())) {
            Children.awaitPort(origin.port());
            for (Shape shape : SHAPES) {
                measure("direct", Optional.empty(), OptionalInt.empty(), origin, shape);
            }
            int[] ruleCounts = {0, 100, 1_000};
            for (int rules : ruleCounts) {
                engine(origin, rules);
            }
            int port = freePort();
            peer(
                    "LittleProxy",
                    Children.peer(LittleProxyPeer.class.getName(), Integer.toString(port), directory.toString()),
                    port,
                    origin);
            if (mitmdump.isPresent()) {
                int other = freePort();
                Process process = Children.start(List.of(
                        mitmdump.get(),
                        "-q",
                        "--listen-host",
                        "127.0.0.1",
                        "-p",
                        Integer.toString(other),
                        "--set",
                        "ssl_insecure=true",
                        "--set",
                        "confdir=" + directory.resolve("mitmproxy")));
                peer("mitmproxy", process, other, origin);
            } else {
                notes.add("mitmproxy is not installed: not measured");
            }
        }
    }

    private void engine(Origin origin, int rules) throws IOException {
        int port = freePort();
        Path database = Files.createDirectories(directory.resolve("engine-" + rules));
        Process process = Children.java(
                EngineProxy.class.getName(),
                Integer.toString(port),
                Integer.toString(rules),
                database.toString(),
                origin.certificate().toString());
        try {
            String name = "capsem, " + rules + " rules";
            for (Shape shape : SHAPES) {
                if (rules == 0 || shape.connections() == 16) {
                    measure(name, Optional.of(process), OptionalInt.of(port), origin, shape);
                }
            }
            notes.add("%s: %.0f MB resident".formatted(name, Children.residentMegabytes(process)));
        } finally {
            Children.end(process);
        }
    }

    private void peer(String name, Process process, int port, Origin origin) throws IOException {
        try {
            Children.awaitPort(port);
            for (Shape shape : SHAPES) {
                measure(name, Optional.of(process), OptionalInt.of(port), origin, shape);
            }
            notes.add("%s: %.0f MB resident".formatted(name, Children.residentMegabytes(process)));
        } finally {
            Children.end(process);
        }
    }

    private void measure(String proxy, Optional<Process> process, OptionalInt port, Origin origin, Shape shape)
            throws IOException {
        Load load =
                new Load(port, Origin.HOST, origin.port(), shape.path(), shape.connections(), shape.reconnects(), true);
        double before = process.isPresent() ? Children.cpuSeconds(process.get()) : 0;
        Load.Result result = load.run(WARM_UP, TIME);
        Optional<Double> cpu = Optional.empty();
        if (process.isPresent() && result.perSecond() > 0) {
            double requests = result.perSecond() * (WARM_UP.toMillis() + TIME.toMillis()) / 1000.0;
            cpu = Optional.of((Children.cpuSeconds(process.get()) - before) * 1000 / requests);
        }
        rows.add(new Row(proxy, shape.name(), result.perSecond(), result.millis(), result.failures(), cpu));
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }
}
