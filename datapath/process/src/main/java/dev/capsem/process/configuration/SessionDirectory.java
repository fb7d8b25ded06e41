package dev.capsem.process.configuration;

import java.nio.file.Path;

/// Where the session's files are. A sandbox that is renamed takes them along. Safe for many threads.
public final class SessionDirectory {
    private volatile Path path;

    public SessionDirectory(Path path) {
        this.path = path;
    }

    public Path path() {
        return path;
    }

    /// The files are there now.
    public void moveTo(Path moved) {
        path = moved;
    }
}
