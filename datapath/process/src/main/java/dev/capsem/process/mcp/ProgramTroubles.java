package dev.capsem.process.mcp;

import dev.capsem.process.configuration.SessionDirectory;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/// Why servers that are programs do not work, for whoever asks: how they ended, what they said last, what they
/// were refused.
final class ProgramTroubles {
    private static final int LOG_BYTES_MAX = 8 * 1024;
    private static final int LOG_LINES_MAX = 12;
    private static final int REFUSED_MAX = 32;
    private static final int SIGNALS = 128;

    /// What Node and Python say of a file that is not there; a path outside every capability looks like that.
    private static final Pattern MISSING_FILE = Pattern.compile(
            "(?:ENOENT|EACCES|Cannot find module|can't open file|No such file or directory|Permission denied)"
                    + "[^'\"\\n]{0,120}['\"](/[^'\"\\n]{1,400})['\"]");

    private final SessionDirectory sessionDir;
    private final UnaryOperator<String> mask;
    private final Map<String, Integer> exits = new ConcurrentHashMap<>();
    private final Map<String, Set<String>> refused = new ConcurrentHashMap<>();

    /// @param sessionDir where the programs' logs are
    /// @param mask takes secrets out of what programs say
    ProgramTroubles(SessionDirectory sessionDir, UnaryOperator<String> mask) {
        this.sessionDir = sessionDir;
        this.mask = mask;
    }

    static String logOf(String server) {
        return "mcp-" + server + ".log";
    }

    void ended(String server, int exitCode) {
        exits.put(server, exitCode);
    }

    void refused(String server, String host, int port) {
        refused.compute(server, (_, before) -> {
            Set<String> all = before == null ? new LinkedHashSet<>() : new LinkedHashSet<>(before);
            if (all.size() < REFUSED_MAX) {
                all.add("net:connect:" + (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":" + port);
            }
            return all;
        });
    }

    /// Adds what is known to the status of a server that is a program.
    void addTo(ObjectNode status, String server, boolean isConnected) {
        Set<String> wanted = new LinkedHashSet<>(refused.getOrDefault(server, Set.of()));
        if (!isConnected) {
            Integer exit = exits.get(server);
            if (exit != null) {
                status.put("ended", shown(exit));
            }
            List<String> said = lastLines(sessionDir.path().resolve(logOf(server)));
            ArrayNode log = status.putArray("log");
            said.forEach(line -> log.add(mask.apply(line)));
            said.forEach(line -> files(line, wanted));
        }
        ArrayNode list = status.putArray("refused");
        wanted.forEach(list::add);
    }

    static String shown(int exitCode) {
        if (exitCode > SIGNALS) {
            return "signal " + (exitCode - SIGNALS);
        }
        return exitCode == 127 ? "exit code 127: its command was not found" : "exit code " + exitCode;
    }

    /// Only what is there: the rest is the program's own mistake.
    private static void files(String line, Set<String> wanted) {
        Matcher matcher = MISSING_FILE.matcher(line);
        while (matcher.find() && wanted.size() < REFUSED_MAX) {
            Path path = Path.of(matcher.group(1)).normalize();
            if (Files.isDirectory(path)) {
                wanted.add("fs:read:" + path + "/**");
            } else if (Files.exists(path)) {
                wanted.add("fs:read:" + path);
            }
        }
    }

    private static List<String> lastLines(Path log) {
        try (RandomAccessFile file = new RandomAccessFile(log.toFile(), "r")) {
            file.seek(Math.max(0, file.length() - LOG_BYTES_MAX));
            byte[] end = new byte[(int) Math.min(LOG_BYTES_MAX, file.length())];
            file.readFully(end);
            List<String> lines = new String(end, StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> !line.isBlank())
                    .toList();
            return lines.subList(Math.max(0, lines.size() - LOG_LINES_MAX), lines.size());
        } catch (IOException e) {
            return List.of();
        }
    }
}
