package dev.capsem.sandbox.bwrap;

import dev.capsem.sandbox.bwrap.io.HostFiles;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// The launcher's name for the state of the host, asked for again only when something it is made from changed:
/// starting a program costs more than looking at twenty files. Safe for several threads.
final class HostStamp {
    private final Supplier<List<String>> ask;
    private volatile @Nullable Known known;

    private record Known(String stamp, Map<Path, Optional<HostFiles.Change>> facts) {}

    /// @param ask the launcher: the stamp, then the paths that it depends on
    HostStamp(Supplier<List<String>> ask) {
        this.ask = ask;
    }

    String get() {
        Known before = known;
        if (before != null && look(before.facts().keySet()).equals(before.facts())) {
            return before.stamp();
        }
        List<String> lines = ask.get();
        List<Path> paths = lines.stream().skip(1).map(Path::of).toList();
        Map<Path, Optional<HostFiles.Change>> facts = look(paths);
        // Asked a second time, so that no change can slip in between the stamp and the look.
        Known now = new Known(ask.get().getFirst(), facts);
        known = now;
        return now.stamp();
    }

    private static Map<Path, Optional<HostFiles.Change>> look(Iterable<Path> paths) {
        Map<Path, Optional<HostFiles.Change>> seen = new HashMap<>();
        paths.forEach(path -> seen.put(path, HostFiles.change(path)));
        return seen;
    }
}
