package dev.capsem.bench;

import dev.capsem.bench.llm.TapBench;
import dev.capsem.bench.mcp.LostCallBench;
import dev.capsem.bench.mcp.McpBench;
import dev.capsem.bench.net.NetBench;
import dev.capsem.bench.net.StreamBench;
import dev.capsem.bench.policy.PolicyBench;
import dev.capsem.bench.security.RulesBench;
import dev.capsem.wire.service.ProvisionRequest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/// Composition root of `capsem bench`: names the parts, runs those asked for, prints and writes what they found.
public final class BenchMain {
    private static final JsonMapper MAPPER = new JsonMapper();

    private BenchMain() {}

    public static void main(String[] arguments) throws IOException {
        Set<String> known = parts(false).keySet();
        Optional<BenchArguments> parsed = BenchArguments.parse(List.of(arguments), known);
        if (parsed.isEmpty()) {
            System.err.println(
                    "usage: capsem bench [" + String.join("|", known) + "]… [--quick] [--json FILE] [--compare FILE]");
            System.exit(2);
        }
        BenchArguments asked = parsed.get();
        // Read first: the results may be written to the same file.
        Optional<JsonNode> earlier =
                asked.earlier().isPresent() ? Optional.of(read(asked.earlier().get())) : Optional.empty();
        ObjectNode report = run(asked);
        write(asked.json(), report);
        boolean isFailed = report.path("results").valueStream().anyMatch(BenchMain::isOurFailure);
        boolean isSlower = earlier.isPresent() && isSlower(earlier.get(), report);
        System.exit(isFailed || isSlower ? 1 : 0);
    }

    /// A peer that fails has no number; that is its own affair.
    private static boolean isOurFailure(JsonNode row) {
        return row.has("failed") && row.path("name").asString("").startsWith("capsem");
    }

    private static ObjectNode run(BenchArguments asked) throws IOException {
        Map<String, Part> parts = parts(asked.isQuick());
        Machine machine = Machine.here();
        System.out.println(machine);
        ObjectNode report = MAPPER.createObjectNode();
        report.put("cores", machine.cores());
        report.put("quick", asked.isQuick());
        report.set("machine", machine.toJson());
        ArrayNode results = report.putArray("results");
        Consumer<Measurement> found = measurement -> {
            System.out.println(measurement);
            results.add(measurement.toJson());
        };
        List<String> names = parts.keySet().stream().filter(asked::wants).toList();
        for (int i = 0; i < names.size(); i++) {
            System.out.println("── " + names.get(i));
            String what = names.get(i) + " (part " + (i + 1) + " of " + names.size() + ")";
            try (var _ = new PartProgress(isTerminal(), what)) {
                Objects.requireNonNull(parts.get(names.get(i))).run(found);
            }
        }
        return report;
    }

    private static JsonNode read(Path file) throws IOException {
        if (!Files.isRegularFile(file)) {
            System.err.println(file + " is not there; name a file that an earlier run wrote");
            System.exit(2);
        }
        return MAPPER.readTree(Files.readString(file));
    }

    private static void write(Path json, ObjectNode report) throws IOException {
        Path parent = json.toAbsolutePath().getParent();
        if (parent != null) {
            Files.createDirectories(parent);
        }
        Files.writeString(json, MAPPER.writerWithDefaultPrettyPrinter().writeValueAsString(report) + "\n");
        System.out.println("written: " + json);
    }

    private static boolean isSlower(JsonNode earlier, ObjectNode report) {
        BenchComparison comparison = BenchComparison.of(earlier, report);
        System.out.println("── compared with an earlier run");
        if (!Machine.fromJson(earlier.path("machine")).isLike(Machine.fromJson(report.path("machine")))) {
            System.out.println("The earlier run was on another machine: only ratios say something.");
        }
        if (earlier.path("quick").asBoolean(false) != report.path("quick").asBoolean(false)) {
            System.out.println("One run was quick and the other was not: they warmed up for different times.");
        }
        comparison.slower().forEach(System.out::println);
        System.out.printf(
                Locale.ROOT,
                "%d of %d rows are slower by more than %.0f %%, which is noise here.%n",
                comparison.slower().size(),
                comparison.compared(),
                comparison.noise() * 100);
        return comparison.isSlower();
    }

    private static boolean isTerminal() {
        return Stream.of("/dev/pts/", "/dev/tty", "/dev/console").anyMatch(errors()::startsWith);
    }

    private static String errors() {
        try {
            return Files.readSymbolicLink(Path.of("/proc/self/fd/2")).toString();
        } catch (IOException closed) {
            return "";
        }
    }

    /// One topic of the bench. What could not be measured has no number: it is told as failed, or ends the run.
    interface Part {
        void run(Consumer<Measurement> found) throws IOException;
    }

    private static Map<String, Part> parts(boolean isQuick) {
        Path dist = Path.of(System.getProperty("capsem.dist", "dist")).toAbsolutePath();
        Map<String, Part> parts = new LinkedHashMap<>();
        parts.put("sandbox", new SandboxBench(dist, isQuick));
        parts.put("memory", new MemoryBench(dist));
        parts.put("peers", new PeerBench());
        parts.put("cli", new StartBench(dist));
        parts.put("hostmcp", new HostMcpBench(dist));
        parts.put("writer", new WriterBench());
        // It prints a table of its own.
        parts.put("policy", _ -> PolicyBench.main(new String[0]));
        parts.put("rules", BenchMain::rules);
        parts.put("net", found -> net(isQuick ? NetBench.Pace.QUICK : NetBench.Pace.WHOLE, found));
        parts.put("sse", BenchMain::streams);
        parts.put(
                "tap",
                found -> TapBench.run((name, value, unit, budget) ->
                        found.accept(new Measurement.Figure(name, value, unit, budget))));
        parts.put("broker", new BrokerBench());
        parts.put("dns", new DnsBench());
        parts.put("mcp", found -> mcp(dist, found));
        return parts;
    }

    private static void net(NetBench.Pace pace, Consumer<Measurement> found) throws IOException {
        Optional<Path> nginx = Stream.of("/usr/sbin/nginx", "/usr/bin/nginx")
                .map(Path::of)
                .filter(Files::isExecutable)
                .findFirst();
        if (nginx.isEmpty()) {
            found.accept(new Measurement.Skipped("net", "nginx is not installed; run scripts/setup --tests"));
            return;
        }
        Path directory = Files.createTempDirectory("csnet");
        NetBench bench = new NetBench(
                directory,
                nginx.get().toString(),
                BenchPrograms.onPath("mitmdump").map(Path::toString),
                pace);
        bench.run();
        Map<String, Double> rates = new LinkedHashMap<>();
        for (NetBench.Row row : bench.rows()) {
            if (row.seen() instanceof NetBench.Shown shown) {
                rates.put(row.proxy() + row.load(), shown.perSecond());
            }
        }
        for (NetBench.Row row : bench.rows()) {
            String name = row.proxy() + ", " + row.load();
            switch (row.seen()) {
                case NetBench.Shown shown -> net(row, shown, rates, found);
                case NetBench.Unable _ -> found.accept(new Measurement.Unable(name));
                case NetBench.Failed(String reason) -> found.accept(new Measurement.Failed(name, reason));
            }
        }
        bench.notes().forEach(System.out::println);
        BenchPrograms.run(List.of("rm", "-rf", directory.toString()));
    }

    private static void net(
            NetBench.Row row, NetBench.Shown shown, Map<String, Double> rates, Consumer<Measurement> found) {
        String name = row.proxy() + ", " + row.load();
        found.accept(new Measurement.Figure(name, shown.perSecond(), "requests/s", Optional.empty()));
        found.accept(Measurement.latency(
                name, shown.millis().stream().mapToDouble(Double::doubleValue).toArray()));
        shown.cpuMillis()
                .ifPresent(cpu ->
                        found.accept(new Measurement.Figure(name + ", CPU per request", cpu, "ms", Optional.empty())));
        if (row.proxy().startsWith("capsem")) {
            for (String peer : List.of("direct", "LittleProxy", "mitmproxy")) {
                Optional.ofNullable(rates.get(peer + row.load()))
                        .ifPresent(rate -> found.accept(new Measurement.Figure(
                                name + " / " + peer, shown.perSecond() / rate, "times", Optional.empty())));
            }
        }
    }

    private static void streams(Consumer<Measurement> found) throws IOException {
        Path directory = Files.createTempDirectory("cssse");
        StreamBench.Found streams = new StreamBench(directory).run();
        Measurement.Latency direct =
                new Measurement.Latency("event, direct", streams.directMillis(), Optional.empty(), Optional.empty());
        Measurement.Latency through = new Measurement.Latency(
                "event, through capsem", streams.throughMillis(), Optional.empty(), Optional.empty());
        found.accept(direct);
        found.accept(through);
        found.accept(new Measurement.Figure(
                "added at p50", through.percentile(0.50) - direct.percentile(0.50), "ms", Optional.empty()));
        found.accept(new Measurement.Figure(
                "added at p99", through.percentile(0.99) - direct.percentile(0.99), "ms", Optional.of("10 ms")));
        found.accept(new Measurement.Figure(
                "streams recorded whole", streams.rows(), "rows", Optional.of(Integer.toString(StreamBench.STREAMS))));
        found.accept(new Measurement.Figure("failures", streams.failures(), "streams", Optional.of("0")));
        found.accept(new Measurement.Figure("resident", streams.residentMegabytes(), "MB", Optional.empty()));
        found.accept(new Measurement.Figure("CPU of that minute", streams.cpuSeconds(), "s", Optional.empty()));
        BenchPrograms.run(List.of("rm", "-rf", directory.toString()));
    }

    private static void mcp(Path dist, Consumer<Measurement> found) throws IOException {
        Optional<String> missing = McpBench.missing();
        if (missing.isPresent()) {
            found.accept(new Measurement.Skipped("mcp", missing.get()));
            return;
        }
        try (BenchHome home = BenchHome.start(dist)) {
            lostCalls(home, found);
            Path clients = dist.resolveSibling("testing/clients");
            String sandbox =
                    home.client().provision(ProvisionRequest.temporary()).id();
            Map<String, Double> rates = new LinkedHashMap<>();
            for (McpBench.Row row : new McpBench(dist, clients, home.client(), sandbox).run()) {
                String name = "mcp echo, " + row.route() + ", c=" + row.callsAtOnce();
                boolean isBudgeted = row.route().equals("capsem") && row.callsAtOnce() == 10;
                rates.put(row.route() + row.callsAtOnce(), row.perSecond());
                found.accept(new Measurement.Figure(
                        name, row.perSecond(), "calls/s", isBudgeted ? Optional.of("≥ 9200") : Optional.empty()));
                found.accept(new Measurement.Figure(name + ", p50", row.p50(), "ms", Optional.empty()));
                found.accept(new Measurement.Figure(name + ", p99", row.p99(), "ms", Optional.empty()));
                Optional.ofNullable(rates.get("capsem" + row.callsAtOnce()))
                        .filter(_ -> !row.route().equals("capsem"))
                        .ifPresent(rate -> found.accept(new Measurement.Figure(
                                "mcp echo, capsem / " + row.route() + ", c=" + row.callsAtOnce(),
                                rate / row.perSecond(),
                                "times",
                                Optional.empty())));
            }
        }
    }

    /// A sandbox for every few rounds: an aggregator that dies again and again is started later and later.
    private static void lostCalls(BenchHome home, Consumer<Measurement> found) throws IOException {
        List<Double> millis = new ArrayList<>();
        try (LostCallBench bench = new LostCallBench()) {
            Path profiles = Files.createDirectories(home.directory().resolve("profiles"));
            Files.writeString(profiles.resolve(LostCallBench.PROFILE + ".toml"), bench.profile());
            home.client().reload();
            for (int i = 0; i < 4; i++) {
                String sandbox = home.client()
                        .provision(ProvisionRequest.temporary().withProfile(LostCallBench.PROFILE))
                        .id();
                millis.addAll(bench.run(home.client(), sandbox, 5, () -> home.descendant("AggregatorMain")));
                home.client().delete(sandbox);
            }
        }
        found.accept(new Measurement.Latency(
                "mcp call, aggregator killed, to error", millis, Optional.of(100.0), Optional.of(100.0)));
    }

    private static void rules(Consumer<Measurement> found) throws IOException {
        try {
            RulesBench.run(
                    (name, value, unit, budget) -> found.accept(new Measurement.Figure(name, value, unit, budget)));
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while rules were measured", interrupted);
        }
    }
}
