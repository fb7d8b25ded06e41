package dev.capsem.wire.aggregator;

import java.util.Arrays;
import java.util.function.Consumer;

/// Cuts a stream of bytes into lines. A line over the limit is never held: its bytes are dropped as they come, and it
/// is reported once it ends. Not safe for more than one thread.
public final class LineSplitter {
    private static final int INITIAL_BYTES = 8 * 1024;
    /// How much is kept of either end of a line over the limit: enough to find out what it was.
    private static final int ENDS_BYTES = 128;

    private final int lineBytesMax;
    private byte[] pending = new byte[INITIAL_BYTES];
    private int length;
    private boolean isTooLong;
    private byte[] start = {};
    private byte[] end = {};

    public LineSplitter(int lineBytesMax) {
        this.lineBytesMax = lineBytesMax;
    }

    /// One line of the stream.
    public sealed interface Cut {
        /// @param bytes without the line feed
        record Line(byte[] bytes) implements Cut {}

        /// @param start its first bytes
        /// @param end its last ones
        record TooLong(byte[] start, byte[] end) implements Cut {}
    }

    /// @param chunk what was read; only its first `count` bytes count
    public void feed(byte[] chunk, int count, Consumer<Cut> out) {
        int from = 0;
        for (int i = 0; i < count; i++) {
            if (chunk[i] == '\n') {
                keep(chunk, from, i - from);
                out.accept(cut());
                from = i + 1;
            }
        }
        keep(chunk, from, count - from);
    }

    /// The rest behind the last line feed when the stream is over.
    public int leftover() {
        return isTooLong ? lineBytesMax : length;
    }

    private Cut cut() {
        Cut cut = isTooLong ? new Cut.TooLong(start, end) : new Cut.Line(Arrays.copyOf(pending, length));
        length = 0;
        isTooLong = false;
        if (pending.length > INITIAL_BYTES * 16) {
            pending = new byte[INITIAL_BYTES];
        }
        return cut;
    }

    private void keep(byte[] chunk, int from, int count) {
        if (count == 0) {
            return;
        }
        if (isTooLong) {
            keepEnd(chunk, from, count);
            return;
        }
        if (length + count > lineBytesMax) {
            isTooLong = true;
            int old = Math.min(length, ENDS_BYTES);
            int fresh = Math.min(count, ENDS_BYTES - old);
            start = Arrays.copyOf(pending, old + fresh);
            System.arraycopy(chunk, from, start, old, fresh);
            end = Arrays.copyOfRange(pending, Math.max(0, length - ENDS_BYTES), length);
            keepEnd(chunk, from, count);
            length = 0;
            return;
        }
        if (length + count > pending.length) {
            pending = Arrays.copyOf(pending, Math.min(lineBytesMax, Math.max(pending.length * 2, length + count)));
        }
        System.arraycopy(chunk, from, pending, length, count);
        length += count;
    }

    private void keepEnd(byte[] chunk, int from, int count) {
        int fresh = Math.min(count, ENDS_BYTES);
        int old = Math.min(end.length, ENDS_BYTES - fresh);
        byte[] kept = Arrays.copyOfRange(end, end.length - old, end.length + fresh);
        System.arraycopy(chunk, from + count - fresh, kept, old, fresh);
        end = kept;
    }
}
