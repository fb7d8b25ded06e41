package dev.capsem.service.sandboxes;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicLong;

/// The output of one command that is answered in one piece. All such commands together keep no more than a part
/// of the
/// heap: who comes too late keeps less, and its answer says so.
final class KeptOutput implements Commands.Output, AutoCloseable {
    /// Per stream; the true size is counted all the same.
    static final int STREAM_BYTES_MAX = 10 * 1_048_576;

    /// What all commands of the service may keep at the same time.
    static final class Budget {
        private final long bytesMax;
        private final AtomicLong used = new AtomicLong();

        Budget(long bytesMax) {
            this.bytesMax = bytesMax;
        }

        /// A byte may become six in JSON, beside its copy as text.
        static Budget ofHeap(long heapBytes) {
            return new Budget(Math.max(2L * STREAM_BYTES_MAX, heapBytes / 24));
        }

        private boolean take(int bytes) {
            if (used.addAndGet(bytes) <= bytesMax) {
                return true;
            }
            used.addAndGet(-bytes);
            return false;
        }
    }

    private final Budget budget;
    private final ByteArrayOutputStream stdout = new ByteArrayOutputStream();
    private final ByteArrayOutputStream stderr = new ByteArrayOutputStream();

    KeptOutput(Budget budget) {
        this.budget = budget;
    }

    void add(int stream, byte[] data) {
        ByteArrayOutputStream target = stream == 2 ? stderr : stdout;
        int room = Math.min(data.length, STREAM_BYTES_MAX - target.size());
        if (room > 0 && budget.take(room)) {
            target.write(data, 0, room);
        }
    }

    String stdoutText() {
        return stdout.toString(StandardCharsets.UTF_8);
    }

    String stderrText() {
        return stderr.toString(StandardCharsets.UTF_8);
    }

    @Override
    public byte[] stdout() {
        return stdout.toByteArray();
    }

    @Override
    public byte[] stderr() {
        return stderr.toByteArray();
    }

    boolean isShortOf(long stdoutBytes, long stderrBytes) {
        return stdout.size() < stdoutBytes || stderr.size() < stderrBytes;
    }

    @Override
    public void close() {
        budget.used.addAndGet(-(stdout.size() + stderr.size()));
    }
}
