package dev.capsem.process;

import dev.capsem.process.ipc.Operations;
import dev.capsem.wire.io.UnixListener;
import java.time.Duration;
import java.util.Optional;

/// A spare whose service died is nobody's: it ends. An assigned process lives on, for the next service to adopt.
final class ParentWatch {
    private static final Duration INTERVAL = Duration.ofSeconds(1);

    private ParentWatch() {}

    static void whileSpare(Operations operations, UnixListener instance) {
        Thread.ofVirtual().name("parent-watch").start(() -> watch(operations, instance));
    }

    private static void watch(Operations operations, UnixListener instance) {
        Optional<Long> parent = parent();
        try {
            while (operations.isSpare()) {
                Thread.sleep(INTERVAL);
                if (operations.isSpare() && !parent().equals(parent)) {
                    instance.close();
                    System.exit(0);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static Optional<Long> parent() {
        return ProcessHandle.current().parent().map(ProcessHandle::pid);
    }
}
