package dev.capsem.wire.aggregator;

import java.util.Arrays;
import java.util.function.Consumer;

/// Cuts a stream of bytes into lines. A line over the limit is never held: its bytes are dropped as they come, and it
/// is reported once it ends. Not safe for more than one thread.
public final class LineSplitter {
    private static final int INITIAL_BYTES = 8 * 1024;

    private final int lineBytesMax;
    private byte[] pending = new byte[INITIAL_BYTES];
    private int length;
    private boolean isTooLong;

    public LineSplitter(int lineBytesMax) {
        this.lineBytesMax = lineBytesMax;
    }

    /// One line of the stream.
    public sealed interface Cut {
        /// @param bytes without the line feed
        record Line(byte[] bytes) implements Cut {}

        record TooLong() implements Cut {}
    }

    /// @param chunk what was read; only its first `count` bytes count
    public void feed(byte[] chunk, int count, Consumer<Cut> out) {
        int start = 0;
        for (int i = 0; i < count; i++) {
            if (chunk[i] == '\n') {
                keep(chunk, start, i - start);
                out.accept(cut());
                start = i + 1;
            }
        }
        keep(chunk, start, count - start);
    }

    /// What stands behind the last line feed when the stream is over.
    public int leftover() {
        return isTooLong ? lineBytesMax : length;
    }

    private Cut cut() {
        Cut cut = isTooLong ? new Cut.TooLong() : new Cut.Line(Arrays.copyOf(pending, length));
        length = 0;
        isTooLong = false;
        if (pending.length > INITIAL_BYTES * 16) {
            pending = new byte[INITIAL_BYTES];
        }
        return cut;
    }

    private void keep(byte[] chunk, int from, int count) {
        if (isTooLong || count == 0) {
            return;
        }
        if (length + count > lineBytesMax) {
            isTooLong = true;
            length = 0;
            return;
        }
        if (length + count > pending.length) {
            pending = Arrays.copyOf(pending, Math.min(lineBytesMax, Math.max(pending.length * 2, length + count)));
        }
        System.arraycopy(chunk, from, pending, length, count);
        length += count;
    }
}
