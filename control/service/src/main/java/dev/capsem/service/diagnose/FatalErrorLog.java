package dev.capsem.service.diagnose;

import dev.capsem.wire.log.Panic;
import dev.capsem.wire.log.Thrown;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// What a JVM wrote when it crashed itself: `hs_err` files, of which the launch scripts say where they go.
final class FatalErrorLog {
    /// As in `-XX:ErrorFile=…/<program>-%p.log`.
    static final Pattern FILE_NAME = Pattern.compile("([a-z][a-z-]*)-(\\d+)\\.log");

    static final String MARK = "A fatal error has been detected by the Java Runtime Environment";

    private static final Pattern THREAD = Pattern.compile("Current thread \\([^)]*\\): +\\S+ \"([^\"]*)\".*");
    private static final Pattern FRAME = Pattern.compile("(?:[VCjvA] {2}|J +\\d).*");

    private FatalErrorLog() {}

    static Optional<Panic> parse(String text, String binary, long pid, Instant at) {
        if (!text.contains(MARK)) {
            return Optional.empty();
        }
        List<String> lines = text.lines().toList();
        String message = "";
        Optional<String> thread = Optional.empty();
        Optional<String> location = Optional.empty();
        List<String> frames = new ArrayList<>();
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i);
            String said = line.startsWith("#") ? line.substring(1).strip() : "";
            Matcher current = THREAD.matcher(line);
            if (message.isEmpty() && !said.isEmpty() && !said.contains(MARK)) {
                message = said;
            } else if (said.startsWith("Problematic frame") && i + 1 < lines.size()) {
                location = Optional.of(lines.get(i + 1).replaceFirst("^#\\s*", ""));
            } else if (thread.isEmpty() && current.matches()) {
                thread = Optional.of(current.group(1));
            } else if (frames.size() < Thrown.FRAMES_MAX && FRAME.matcher(line).matches()) {
                frames.add(line.strip());
            }
        }
        return Optional.of(
                new Panic(at, binary, pid, Optional.empty(), thread, location, "JVM crash: " + message, frames));
    }
}
