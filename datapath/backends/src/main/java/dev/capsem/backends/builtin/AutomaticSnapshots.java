package dev.capsem.backends.builtin;

import dev.capsem.backends.line.EventLog;
import dev.capsem.toolserver.ToolFailure;
import java.time.Duration;

/// Takes a snapshot when the program starts and every five minutes, if anything changed.
final class AutomaticSnapshots implements AutoCloseable {
    private static final Duration INTERVAL = Duration.ofMinutes(5);

    private final Snapshots snapshots;
    private final EventLog log;
    private final Thread thread;

    AutomaticSnapshots(Snapshots snapshots, EventLog log) {
        this.snapshots = snapshots;
        this.log = log;
        this.thread = Thread.ofVirtual().name("snapshots").unstarted(this::run);
    }

    void start() {
        thread.start();
    }

    private void run() {
        try {
            while (true) {
                take();
                Thread.sleep(INTERVAL);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void take() throws InterruptedException {
        try {
            snapshots.automatic();
        } catch (ToolFailure e) {
            log.warn("snapshot.failed", "reason", e.reason());
        } catch (RuntimeException e) {
            // The next one may work; the tools do not depend on it.
            log.warn("snapshot.failed", "reason", e.getClass().getSimpleName());
        }
    }

    @Override
    public void close() {
        thread.interrupt();
    }
}
