package dev.capsem.process.watch;

import java.util.Set;
import java.util.TreeSet;

/// Which files were there before an event told of them. Past [#PATHS_MAX] paths nothing new is remembered, so that
/// a file may be called created that was modified; what is remembered stays true.
final class KnownFiles {
    /// About 10 MB when full; a workspace with more files is a dependency cache.
    static final int PATHS_MAX = 65_536;

    private final TreeSet<String> present = new TreeSet<>();
    private final TreeSet<String> hidden = new TreeSet<>();

    void came(String path) {
        add(present, path);
    }

    /// With all that was below it, if it was a directory.
    void left(String path) {
        present.remove(path);
        // '0' follows '/'.
        present.subSet(path + "/", path + "0").clear();
    }

    /// The layer below has this path, but the guest deleted it.
    void hidden(String path) {
        left(path);
        add(hidden, path);
    }

    boolean existed(String path) {
        return present.contains(path);
    }

    /// Itself, or a directory that it is in: one that is made anew hides all that was in the old one.
    boolean isHidden(String path) {
        for (String part = path; !part.isEmpty(); part = part.substring(0, part.lastIndexOf('/'))) {
            if (hidden.contains(part)) {
                return true;
            }
        }
        return false;
    }

    private static void add(Set<String> paths, String path) {
        if (paths.size() < PATHS_MAX) {
            paths.add(path);
        }
    }
}
