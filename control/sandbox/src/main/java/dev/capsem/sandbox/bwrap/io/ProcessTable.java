package dev.capsem.sandbox.bwrap.io;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;

/// Processes as /proc shows them.
public final class ProcessTable {
    /// Position of the start time among the fields after the name, which may hold spaces and parentheses.
    private static final int START_TICKS_FIELD = 19;

    private static final int STATE_FIELD = 0;

    private final Path proc;

    public ProcessTable(Path proc) {
        this.proc = proc;
    }

    /// When the process started, in clock ticks since boot; empty when there is none.
    public OptionalLong startTicks(long pid) {
        Optional<List<String>> fields = statFields(pid);
        return fields.isEmpty()
                ? OptionalLong.empty()
                : OptionalLong.of(Long.parseLong(fields.get().get(START_TICKS_FIELD)));
    }

    /// Whether that very process still exists as more than a zombie.
    public boolean isAlive(long pid, long startTicks) {
        return statFields(pid)
                .filter(fields -> Long.parseLong(fields.get(START_TICKS_FIELD)) == startTicks)
                .filter(fields -> !fields.get(STATE_FIELD).equals("Z"))
                .isPresent();
    }

    /// Whether no thread of the process runs or can run: stopped, dead, or asleep in the kernel past interruption.
    public boolean isStill(long pid) {
        try (Stream<Path> threads = Files.list(proc.resolve(pid + "/task"))) {
            return threads.allMatch(thread -> statFields(thread.resolve("stat"))
                    .map(fields -> "TtZXD".contains(fields.get(STATE_FIELD)))
                    .orElse(true));
        } catch (IOException | UncheckedIOException e) {
            return true;
        }
    }

    /// The first child that the process's main thread has, if any. Kernels tell it in one small file; without that file
    /// all processes have to be looked at.
    public OptionalLong firstChild(long pid) {
        Optional<String> children = line(pid + "/task/" + pid + "/children");
        if (children.isPresent()) {
            return Stream.of(children.get().split(" "))
                    .filter(word -> !word.isEmpty())
                    .mapToLong(Long::parseLong)
                    .min();
        }
        return ProcessHandle.of(pid).stream()
                .flatMap(ProcessHandle::children)
                .mapToLong(ProcessHandle::pid)
                .min();
    }

    /// The first processes of sandboxes that wait for ever to be let in, because the bwrap that made them was killed
    /// before it could; of those that write into a file below this directory, and so are ours.
    public List<ProcessHandle> abandoned(Path below) {
        // A handle knows when its process began, so what it ends later is no other than what was looked at here.
        return ProcessHandle.allProcesses()
                .filter(process -> isAbandoned(process.pid()) && writesBelow(process.pid(), below))
                .toList();
    }

    private boolean isAbandoned(long pid) {
        return isBwrap(Long.toString(pid))
                && status(pid, "NSpid:").filter(pids -> pids.matches(".+\\s1")).isPresent()
                && status(pid, "PPid:").filter(parent -> !isBwrap(parent)).isPresent();
    }

    private boolean isBwrap(String pid) {
        return line(pid + "/comm").filter("bwrap"::equals).isPresent();
    }

    private Optional<String> status(long pid, String name) {
        return line(pid + "/status").stream()
                .flatMap(String::lines)
                .filter(line -> line.startsWith(name))
                .map(line -> line.substring(name.length()).strip())
                .findFirst();
    }

    private boolean writesBelow(long pid, Path directory) {
        try {
            return Files.readSymbolicLink(proc.resolve(pid + "/fd/2")).startsWith(directory.toAbsolutePath());
        } catch (IOException e) {
            return false;
        }
    }

    /// Where the programs of this user find their service manager, if there is one.
    public Path runtimeDirectory() {
        String given = System.getenv().getOrDefault("XDG_RUNTIME_DIR", "");
        if (given.startsWith("/")) {
            return Path.of(given);
        }
        return Path.of("/run/user/"
                + status(ProcessHandle.current().pid(), "Uid:").orElse("").split("\\s")[0]);
    }

    /// A one-line file of /proc or /sys; empty when it cannot be read.
    public Optional<String> line(String path) {
        try {
            return Optional.of(Files.readString(proc.resolve(path)).strip());
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    private Optional<List<String>> statFields(long pid) {
        return statFields(proc.resolve(pid + "/stat"));
    }

    private static Optional<List<String>> statFields(Path file) {
        try {
            String stat = new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1);
            List<String> fields =
                    List.of(stat.substring(stat.lastIndexOf(')') + 1).strip().split(" "));
            return fields.size() > START_TICKS_FIELD ? Optional.of(fields) : Optional.empty();
        } catch (IOException e) {
            return Optional.empty();
        }
    }
}
