package dev.capsem.service.diagnose;

import dev.capsem.wire.HomeLayout;
import dev.capsem.wire.log.LogLine;
import dev.capsem.wire.log.Panic;
import dev.capsem.wire.log.Thrown;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// Every crash of a program of ours that left a trace: lines of `panics.log`, fatal-error logs of the JVM, and what
/// stands in the logs of programs that can write nowhere else.
public final class Panics {
    /// Enough to find weeks of crashes, little enough to read at every question.
    static final int LOG_BYTES_MAX = 1_048_576;

    private static final int FATAL_BYTES_MAX = 64 * 1_024;
    private static final int FATAL_FILES_MAX = 32;
    private static final Pattern PLAIN = Pattern.compile("Exception in thread \"([^\"]*)\" (\\S+?)(?::.*)?");

    private final HomeLayout layout;
    private final HostLogs logs;

    public Panics(HomeLayout layout, HostLogs logs) {
        this.layout = layout;
        this.logs = logs;
    }

    /// The newest first.
    public List<Panic> since(Instant since, int limit) {
        List<Panic> found = new ArrayList<>(recorded());
        found.addAll(fatal());
        for (HostLogs.Name name : EnumSet.allOf(HostLogs.Name.class)) {
            for (HostLogs.Source source : logs.sources(name)) {
                found.addAll(inLog(source));
            }
        }
        return found.stream()
                .map(this::withoutHome)
                .filter(panic -> !panic.at().isBefore(since))
                .sorted(Comparator.comparing(Panic::at).reversed())
                .limit(limit)
                .toList();
    }

    /// Whose machine this is need not be in a report that is passed on.
    private Panic withoutHome(Panic panic) {
        return new Panic(
                panic.at(),
                panic.binary(),
                panic.pid(),
                panic.sandbox(),
                panic.thread(),
                panic.location().map(this::withoutHome),
                withoutHome(panic.message()),
                panic.frames().stream().map(this::withoutHome).toList());
    }

    private String withoutHome(String text) {
        return text.replace(layout.home().toString(), "~").replaceAll("/(home|Users)/[^/ ]+", "~");
    }

    private List<Panic> recorded() {
        return new HostLogs.Source("capsem", layout.panicLog(), Optional.empty())
                .text(LOG_BYTES_MAX)
                .lines()
                .flatMap(line -> LogLine.parse(line).stream())
                .flatMap(line -> Panic.fromLine(line, "capsem").stream())
                .toList();
    }

    private List<Panic> fatal() {
        try (Stream<Path> files = Files.list(layout.crashDir())) {
            return files.filter(file -> FatalErrorLog.FILE_NAME
                            .matcher(file.getFileName().toString())
                            .matches())
                    .sorted(Comparator.comparing(Panics::modified).reversed())
                    .limit(FATAL_FILES_MAX)
                    .flatMap(file -> fatal(file).stream())
                    .toList();
        } catch (IOException e) {
            return List.of();
        }
    }

    private static Optional<Panic> fatal(Path file) {
        Matcher name = FatalErrorLog.FILE_NAME.matcher(file.getFileName().toString());
        if (!name.matches()) {
            return Optional.empty();
        }
        return FatalErrorLog.parse(beginning(file), name.group(1), Long.parseLong(name.group(2)), modified(file));
    }

    private List<Panic> inLog(HostLogs.Source source) {
        List<Panic> found = new ArrayList<>();
        String text = source.text(LOG_BYTES_MAX);
        List<String> lines = text.lines().toList();
        Instant at = modified(source.file());
        for (int i = 0; i < lines.size(); i++) {
            Optional<LogLine> line = LogLine.parse(lines.get(i));
            Matcher plain = PLAIN.matcher(lines.get(i));
            if (line.isPresent()) {
                at = line.get().at();
                Panic.fromLine(line.get(), source.binary())
                        .map(panic -> of(source, panic))
                        .ifPresent(found::add);
            } else if (plain.matches()) {
                found.add(plain(source, plain, frames(lines, i + 1), at));
            }
        }
        if (text.contains(FatalErrorLog.MARK)) {
            FatalErrorLog.parse(text, source.binary(), 0, modified(source.file()))
                    .map(panic -> of(source, panic))
                    .ifPresent(found::add);
        }
        return found;
    }

    private static Panic of(HostLogs.Source source, Panic panic) {
        return panic.sandbox().or(source::owner).map(panic::of).orElse(panic);
    }

    /// What a JVM says by itself of a thread that nobody watched.
    private static Panic plain(HostLogs.Source source, Matcher said, List<String> frames, Instant at) {
        return new Panic(
                at,
                source.binary(),
                0,
                source.owner(),
                Optional.of(said.group(1)),
                frames.stream().findFirst(),
                said.group(2),
                frames);
    }

    private static List<String> frames(List<String> lines, int from) {
        return lines.stream()
                .skip(from)
                .takeWhile(line -> line.startsWith("\tat "))
                .limit(Thrown.FRAMES_MAX)
                .map(line -> line.substring("\tat ".length()))
                .toList();
    }

    private static String beginning(Path file) {
        try (var in = Files.newInputStream(file)) {
            return new String(in.readNBytes(FATAL_BYTES_MAX), StandardCharsets.UTF_8);
        } catch (IOException e) {
            return "";
        }
    }

    private static Instant modified(Path file) {
        try {
            return Files.getLastModifiedTime(file).toInstant();
        } catch (IOException e) {
            return Instant.EPOCH;
        }
    }

    /// Old fatal-error logs go; each has a hundred kilobytes.
    public void prune() {
        try (Stream<Path> files = Files.list(layout.crashDir())) {
            for (Path old : files.sorted(Comparator.comparing(Panics::modified).reversed())
                    .skip(FATAL_FILES_MAX)
                    .toList()) {
                Files.deleteIfExists(old);
            }
        } catch (IOException e) {
            // They are looked at again at the next start.
        }
    }
}
