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
    /// How long each load runs.
    ///
    /// @param firstWarmUp programs that compile as they run need longer before their first load than between loads
    /// @param ruleCounts how many rules the engine has, one run after another
    public record Pace(Duration firstWarmUp, Duration warmUp, Duration time, List<Integer> ruleCounts) {
        public static final Pace WHOLE =
                new Pace(Duration.ofSeconds(15), Duration.ofSeconds(4), Duration.ofSeconds(3), List.of(0, 100, 1_000));
        public static final Pace QUICK =
                new Pace(Duration.ofSeconds(4), Duration.ofSeconds(1), Duration.ofSeconds(1), List.of(0));
    }

    /// One load and what it showed.
    public record Row(String proxy, String load, Seen seen) {}

    /// The result of a load.
    public sealed interface Seen {}

    /// That proxy has no such ability.
    public record Unable() implements Seen {}

    /// It did not answer each request as it should: no number of it can stand beside others.
    public record Failed(String reason) implements Seen {}

    /// @param cpuMillis of the proxy, per request
    public record Shown(double perSecond, List<Double> millis, Optional<Double> cpuMillis) implements Seen {}

    /// The measurements for each proxy.
    private record Shape(String name, String path, int askers, Load.Kind kind) {}

    private static final Shape MIDDLING = new Shape("keep-alive c=16", "/small", 16, Load.Kind.KEEP_ALIVE);
    private static final List<Shape> SHAPES = List.of(
            new Shape("keep-alive c=1", "/small", 1, Load.Kind.KEEP_ALIVE),
            MIDDLING,
            new Shape("keep-alive c=64", "/small", 64, Load.Kind.KEEP_ALIVE),
            new Shape("100 kB c=8", "/large", 8, Load.Kind.KEEP_ALIVE),
            new Shape("full handshake c=8", "/small", 8, Load.Kind.FULL_HANDSHAKE),
            new Shape("resumed handshake c=8", "/small", 8, Load.Kind.RESUMED_HANDSHAKE),
            new Shape("HTTP/2, 16 streams", "/small", 16, Load.Kind.MULTIPLEXED),
            new Shape("SSE first event c=4", "/events", 4, Load.Kind.FIRST_BYTE));

    /// The measured proxies.
    ///
    /// @param process none = nobody is in between
    private record Proxy(String name, Optional<Process> process, OptionalInt port) {}

    private record Origins(BenchOrigin nginx, EventOrigin events) {
        int portFor(Load.Kind kind) {
            return switch (kind) {
                case MULTIPLEXED -> nginx.http2Port();
                case FIRST_BYTE -> events.port();
                case KEEP_ALIVE, FULL_HANDSHAKE, RESUMED_HANDSHAKE -> nginx.port();
            };
        }
    }

    private final Path directory;
    private final String nginx;
    private final Optional<String> mitmdump;
    private final Pace pace;
    private final List<Row> rows = new ArrayList<>();
    private final List<String> notes = new ArrayList<>();

    /// @param directory for keys, configurations and databases; removed by whoever made it
    public NetBench(Path directory, String nginx, Optional<String> mitmdump, Pace pace) {
        this.pace = pace;
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
        try (BenchOrigin nginxOrigin = BenchOrigin.start(nginx, directory, freePort(), freePort());
                EventOrigin events = new EventOrigin(nginxOrigin.certificate(), nginxOrigin.key())) {
            Children.awaitPort(nginxOrigin.port());
            Origins origins = new Origins(nginxOrigin, events);
            measure(new Proxy("direct", Optional.empty(), OptionalInt.empty()), origins, SHAPES);
            for (int rules : pace.ruleCounts()) {
                engine(origins, rules);
            }
            int port = freePort();
            peer(
                    "LittleProxy",
                    () -> Children.peer(LittleProxyPeer.class.getName(), Integer.toString(port), directory.toString()),
                    port,
                    origins,
                    SHAPES);
            if (mitmdump.isPresent()) {
                int other = freePort();
                Children.Starter starter = () -> Children.start(List.of(
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
                peer("mitmproxy", starter, other, origins, SHAPES);
            } else {
                notes.add("mitmproxy is not installed: not measured");
            }
        }
    }

    private void engine(Origins origins, int rules) throws IOException {
        int port = freePort();
        Path database = Files.createDirectories(directory.resolve("engine-" + rules));
        Children.Starter starter = () -> Children.engine(
                EngineProxy.class.getName(),
                Integer.toString(port),
                Integer.toString(rules),
                database.toString(),
                origins.nginx().certificate().toString());
        peer("capsem, " + rules + " rules", starter, port, origins, rules == 0 ? SHAPES : List.of(MIDDLING));
    }

    /// One that does not start, or dies, has rows that say so; the others are measured all the same.
    private void peer(String name, Children.Starter starter, int port, Origins origins, List<Shape> shapes) {
        int before = rows.size();
        try {
            Process process = starter.start();
            try {
                Children.awaitPort(port);
                measure(new Proxy(name, Optional.of(process), OptionalInt.of(port)), origins, shapes);
                notes.add("%s: %.0f MB resident".formatted(name, Children.residentMegabytes(process)));
            } finally {
                Children.end(process);
            }
        } catch (IOException failed) {
            Seen seen = new Failed(String.valueOf(failed.getMessage()));
            shapes.stream().skip(rows.size() - before).forEach(shape -> rows.add(new Row(name, shape.name(), seen)));
        }
    }

    private void measure(Proxy proxy, Origins origins, List<Shape> shapes) throws IOException {
        load(proxy, origins, MIDDLING).warmUp(pace.firstWarmUp());
        for (Shape shape : shapes) {
            rows.add(new Row(proxy.name(), shape.name(), shown(proxy, load(proxy, origins, shape))));
        }
    }

    private static Load load(Proxy proxy, Origins origins, Shape shape) {
        return new Load(
                proxy.port(),
                BenchOrigin.HOST,
                origins.portFor(shape.kind()),
                shape.path(),
                shape.askers(),
                shape.kind());
    }

    private Seen shown(Proxy proxy, Load load) throws IOException {
        double before = proxy.process().isPresent()
                ? Children.cpuSeconds(proxy.process().get())
                : 0;
        Optional<Load.Result> result = load.run(pace.warmUp(), pace.time());
        if (result.isEmpty()) {
            return new Unable();
        }
        Load.Result found = result.get();
        if (found.failures() > 0) {
            return new Failed(found.failures() + " of " + (found.answered() + found.failures()) + " requests failed");
        }
        Optional<Double> cpu = Optional.empty();
        if (proxy.process().isPresent()) {
            double spent = Children.cpuSeconds(proxy.process().get()) - before;
            cpu = Optional.of(spent * 1000 / found.answered());
        }
        return new Shown(found.perSecond(), found.millis(), cpu);
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }
}
