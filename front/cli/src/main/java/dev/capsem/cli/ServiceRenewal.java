package dev.capsem.cli;

import dev.capsem.client.SandboxService;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.function.Consumer;

/// A service that was started by an earlier build of the same programs. It is replaced when no sandbox runs, so
/// that nobody's command is cut off; otherwise the user is told how.
///
/// @param note where the running service wrote which build it is
/// @param build ours: where the programs are, and a digest of them; empty when they were not built by scripts/build
public record ServiceRenewal(Path note, String build) {
    private static final Duration END_WAIT_MAX = Duration.ofSeconds(10);
    private static final Duration POLL = Duration.ofMillis(20);

    /// Ends an outdated service; the next call starts one of this build.
    ///
    /// @param remark for the user
    public void apply(SandboxService service, Consumer<String> remark) {
        if (build.isEmpty() || !isOutdated() || !service.isRunning()) {
            return;
        }
        Map<String, Long> sandboxes = service.status().sandboxes();
        if (sandboxes.getOrDefault("running", 0L) + sandboxes.getOrDefault("starting", 0L) > 0) {
            remark.accept("capsem: the service is still that of an earlier build; replace it when nobody needs it"
                    + " (sandboxes go on): capsem service stop");
            return;
        }
        service.shutdown();
        awaitEnd(service);
    }

    /// Only of the same place: two clones that share a home do not replace each other's service.
    private boolean isOutdated() {
        try {
            String running = Files.readString(note).strip();
            return !running.equals(build) && place(running).equals(place(build));
        } catch (IOException absent) {
            return false;
        }
    }

    private static String place(String build) {
        return build.substring(0, Math.max(0, build.lastIndexOf(' ')));
    }

    private static void awaitEnd(SandboxService service) {
        long deadline = System.nanoTime() + END_WAIT_MAX.toNanos();
        try {
            while (service.isRunning() && System.nanoTime() < deadline) {
                Thread.sleep(POLL);
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
