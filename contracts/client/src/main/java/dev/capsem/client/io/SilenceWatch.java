package dev.capsem.client.io;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;

/// Gives up waiting for an answer when nobody is there who could give one. A call may take as long as its command: what
/// tells is whether the service answers another, small question meanwhile.
final class SilenceWatch implements AutoCloseable {
    /// Most calls are answered sooner, and need no second connection.
    private static final Duration FIRST = Duration.ofSeconds(5);

    /// A loaded machine takes its time.
    private static final Duration PROBE_MAX = Duration.ofSeconds(20);

    private final HttpConnection waiting;
    private final Path socket;
    private final Duration first;
    private final Duration probeMax;
    private final Thread thread;
    private volatile boolean isSilent;

    SilenceWatch(HttpConnection waiting, Path socket, Duration first, Duration probeMax) {
        this.waiting = waiting;
        this.socket = socket;
        this.first = first;
        this.probeMax = probeMax;
        this.thread = Thread.ofPlatform().daemon().name("silence-watch").unstarted(this::watch);
    }

    static SilenceWatch over(HttpConnection waiting, Path socket) {
        var watch = new SilenceWatch(waiting, socket, FIRST, PROBE_MAX);
        watch.start();
        return watch;
    }

    void start() {
        thread.start();
    }

    /// Whether the connection was closed because nobody answers.
    boolean isSilent() {
        return isSilent;
    }

    private void watch() {
        try {
            do {
                Thread.sleep(first);
            } while (isAnswered());
            isSilent = true;
            waiting.close();
        } catch (InterruptedException answered) {
            Thread.currentThread().interrupt();
        }
    }

    private boolean isAnswered() throws InterruptedException {
        try (HttpConnection probe = HttpConnection.open(socket);
                var _ = probe.closesAfter(probeMax)) {
            probe.send("GET", "/version", Map.of(), new byte[0]);
            return probe.receive(false).status() > 0;
        } catch (IOException silent) {
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            return false;
        }
    }

    @Override
    public void close() {
        thread.interrupt();
    }
}
