package dev.capsem.service.diagnose;

import dev.capsem.service.records.LogFiles;
import dev.capsem.wire.HomeLayout;
import dev.capsem.wire.json.Json;
import dev.capsem.wire.json.JsonShapeException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import tools.jackson.databind.node.ObjectNode;

/// The logs of our programs on this host: of the three that there are once, and of those that every sandbox has.
public final class HostLogs {
    private final HomeLayout layout;

    public HostLogs(HomeLayout layout) {
        this.layout = layout;
    }

    /// The logs that may be asked for; no other file is ever opened.
    public enum Name {
        SERVICE("capsem-service", "service.log", false),
        MCP("capsem-mcp", "mcp.log", false),
        GATEWAY("capsem-gateway", "gateway.log", false),
        PROCESS("capsem-process", "process.log", true),
        AGGREGATOR("capsem-mcp-aggregator", "aggregator.log", true),
        BUILTIN("capsem-mcp-builtin", "builtin.log", true);

        private final String binary;
        private final String file;
        private final boolean isOfSandboxes;

        Name(String binary, String file, boolean isOfSandboxes) {
            this.binary = binary;
            this.file = file;
            this.isOfSandboxes = isOfSandboxes;
        }

        public static Optional<Name> named(String name) {
            return EnumSet.allOf(Name.class).stream()
                    .filter(one -> one.wireName().equals(name))
                    .findFirst();
        }

        public String wireName() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /// A log file of ours.
    ///
    /// @param owner the sandbox whose program wrote it; empty for the host's
    record Source(String binary, Path file, Optional<String> owner) {
        /// Its end, and if there is room, that of the file that was moved aside before it.
        String text(int bytesMax) {
            String now = LogFiles.tail(file, bytesMax);
            Path before = file.resolveSibling(file.getFileName() + ".1");
            int left = bytesMax - now.length();
            return left <= 0 || !Files.exists(before) ? now : LogFiles.tail(before, left) + now;
        }
    }

    List<Source> sources(Name name) {
        if (!name.isOfSandboxes) {
            return List.of(new Source(name.binary, layout.runDir().resolve(name.file), Optional.empty()));
        }
        return Stream.of(layout.sessionsDir(), layout.persistentDir())
                .flatMap(directory -> children(directory).stream())
                .map(session -> new Source(
                        name.binary,
                        session.resolve(name.file),
                        Optional.of(session.getFileName().toString())))
                .filter(source -> Files.isRegularFile(source.file()))
                .toList();
    }

    /// The newest lines, oldest first. Lines of sandboxes' programs are brought into one order, each with
    /// its `sandbox`.
    public String text(Name name, int bytesMax) {
        List<Source> sources = sources(name);
        if (!name.isOfSandboxes) {
            return sources.getFirst().text(bytesMax);
        }
        List<Stamped> lines = new ArrayList<>();
        for (Source source : sources) {
            String time = "";
            for (String line : source.text(bytesMax).lines().toList()) {
                Stamped stamped = stamped(line, time, source.owner().orElse(""));
                time = stamped.time();
                lines.add(stamped);
            }
        }
        lines.sort(Comparator.comparing(Stamped::time));
        String all = lines.stream().map(Stamped::line).collect(Collectors.joining("\n", "", "\n"));
        return all.length() <= bytesMax ? all : all.substring(all.indexOf('\n', all.length() - bytesMax) + 1);
    }

    private record Stamped(String time, String line) {}

    /// A line that is not ours, of a stack trace for example, stays behind the line before it.
    private static Stamped stamped(String line, String before, String owner) {
        try {
            if (line.startsWith("{") && Json.parse(line) instanceof ObjectNode json) {
                return new Stamped(json.path("timestamp").asString(before), Json.text(json.put("sandbox", owner)));
            }
        } catch (JsonShapeException e) {
            return new Stamped(before, line);
        }
        return new Stamped(before, line);
    }

    private static List<Path> children(Path directory) {
        try (Stream<Path> entries = Files.list(directory)) {
            return entries.sorted().toList();
        } catch (IOException e) {
            return List.of();
        }
    }
}
