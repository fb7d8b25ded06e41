package dev.capsem.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/// Where a run was made, and how busy it was there: a number without both says little.
///
/// @param load how many tasks wanted to run, on average over the last minute
record Machine(String processor, int cores, long memoryMegabytes, String system, String java, double load) {
    /// Above it, per core, others take so much that absolute times mean little.
    private static final double LOAD_PER_CORE_MAX = 0.5;

    static Machine here() throws IOException {
        return new Machine(
                processor(Files.readAllLines(Path.of("/proc/cpuinfo"))),
                Runtime.getRuntime().availableProcessors(),
                memory(Files.readAllLines(Path.of("/proc/meminfo"))),
                System.getProperty("os.name") + " " + System.getProperty("os.version"),
                Runtime.version().toString(),
                load(Files.readString(Path.of("/proc/loadavg"))));
    }

    static String processor(List<String> cpuinfo) {
        return cpuinfo.stream()
                .filter(line -> line.startsWith("model name"))
                .map(line -> line.substring(line.indexOf(':') + 1).strip())
                .findFirst()
                .orElse(System.getProperty("os.arch"));
    }

    static long memory(List<String> meminfo) {
        return meminfo.stream()
                .filter(line -> line.startsWith("MemTotal:"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) / 1024)
                .findFirst()
                .orElse(0);
    }

    static double load(String loadavg) {
        return Double.parseDouble(loadavg.substring(0, loadavg.indexOf(' ')));
    }

    boolean isBusy() {
        return load > LOAD_PER_CORE_MAX * cores;
    }

    /// Whether numbers of the other may stand beside numbers of this one.
    boolean isLike(Machine other) {
        return processor.equals(other.processor) && cores == other.cores;
    }

    static Machine fromJson(tools.jackson.databind.JsonNode json) {
        return new Machine(
                json.path("processor").asString(""),
                json.path("cores").asInt(0),
                json.path("memory_megabytes").asLong(0),
                json.path("system").asString(""),
                json.path("java").asString(""),
                json.path("load").asDouble(0));
    }

    ObjectNode toJson() {
        return JsonNodeFactory.instance
                .objectNode()
                .put("processor", processor)
                .put("cores", cores)
                .put("memory_megabytes", memoryMegabytes)
                .put("system", system)
                .put("java", java)
                .put("load", load);
    }

    @Override
    public String toString() {
        String plain = String.format(
                Locale.ROOT,
                "%s, %d cores, %d MB, %s, Java %s, load %.2f",
                processor,
                cores,
                memoryMegabytes,
                system,
                java,
                load);
        return isBusy() ? plain + "\nOther programs use this machine: read ratios, not times." : plain;
    }
}
