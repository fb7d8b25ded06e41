package dev.capsem.service.commands;

import dev.capsem.wire.service.ExecEvent;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicLong;

/// The output of one command that is answered in one piece. All such commands together keep no more than a part of the
/// heap: later commands keep less output and are marked truncated.
public final class KeptOutput implements AutoCloseable {
    /// Per stream; the true size is counted all the same.
    static final int STREAM_BYTES_MAX = 10 * 1_048_576;

    /// The limit of kept output of all commands together.
    public static final class Budget {
        private final long bytesMax;
        private final AtomicLong used = new AtomicLong();

        public Budget(long bytesMax) {
            this.bytesMax = bytesMax;
        }

        /// Growing doubles an array beside the old one, and some answers copy what was kept.
        public static Budget ofHeap(long heapBytes) {
            return new Budget(Math.max(2L * STREAM_BYTES_MAX, heapBytes / 8));
        }

        private boolean take(int bytes) {
            if (used.addAndGet(bytes) <= bytesMax) {
                return true;
            }
            used.addAndGet(-bytes);
            return false;
        }
    }

    /// The output of a stream, readable without another copy.
    static final class Kept extends ByteArrayOutputStream implements Commands.Output {
        @Override
        public InputStream open() {
            return new ByteArrayInputStream(buf, 0, count);
        }

        @Override
        public byte[] bytes() {
            return toByteArray();
        }
    }

    private final Budget budget;
    private final Kept stdout = new Kept();
    private final Kept stderr = new Kept();

    public KeptOutput(Budget budget) {
        this.budget = budget;
    }

    void add(ExecEvent event) {
        switch (event) {
            case ExecEvent.Stdout out -> add(stdout, out.data());
            case ExecEvent.Stderr err -> add(stderr, err.data());
            case ExecEvent.Started _, ExecEvent.Exited _, ExecEvent.Failed _ -> {}
        }
    }

    private void add(Kept target, byte[] data) {
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

    Kept stdout() {
        return stdout;
    }

    Kept stderr() {
        return stderr;
    }

    public boolean isShortOf(long stdoutBytes, long stderrBytes) {
        return stdout.size() < stdoutBytes || stderr.size() < stderrBytes;
    }

    @Override
    public void close() {
        budget.used.addAndGet(-(stdout.size() + stderr.size()));
    }
}
