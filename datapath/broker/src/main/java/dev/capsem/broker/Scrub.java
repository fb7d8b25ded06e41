package dev.capsem.broker;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.Arrays;

/// Takes values out of one stream of bytes: they are replaced by their stand-ins, in the same spelling. Holds back at
/// most what may grow into a value; without a hit the bytes that leave are the bytes that came.
public final class Scrub {
    private final PatternSet patterns;
    private final boolean keepsLength;
    private byte[] pending = new byte[0];
    private byte[] scratch = new byte[0];
    private int hits;
    private int lastOwner = -1;

    /// @param keepsLength whether the stream's length was promised
    Scrub(PatternSet patterns, boolean keepsLength) {
        this.patterns = patterns;
        this.keepsLength = keepsLength;
    }

    /// What may go on now. If nothing was held back before, nothing is now and nothing was found, that is what came.
    ///
    /// @param isUntouched whether the piece may go on as it is
    /// @param bytes what goes on; empty where the piece is untouched
    public record Passed(boolean isUntouched, byte[] bytes) {
        private static final Passed UNTOUCHED = new Passed(true, new byte[0]);
    }

    /// The buffer's position stays.
    public Passed pass(ByteBuffer piece) {
        int length = pending.length + piece.remaining();
        byte[] text = room(length);
        System.arraycopy(pending, 0, text, 0, pending.length);
        piece.get(piece.position(), text, pending.length, piece.remaining());
        int first = patterns.find(text, 0, length);
        if (first == length && pending.length == 0) {
            int held = patterns.unfinished(text, 0, length);
            if (held == length) {
                return Passed.UNTOUCHED;
            }
            pending = Arrays.copyOfRange(text, held, length);
            return new Passed(false, Arrays.copyOf(text, held));
        }
        ByteArrayOutputStream out = new ByteArrayOutputStream(length);
        int done = replaced(text, first, length, out);
        int held = patterns.unfinished(text, done, length);
        out.write(text, done, held - done);
        pending = Arrays.copyOfRange(text, held, length);
        return new Passed(false, out.toByteArray());
    }

    /// Takes over what another one holds back.
    void goOnAs(Scrub other) {
        pending = other.pending;
    }

    /// No more comes: what was held back was no value.
    public byte[] rest() {
        byte[] rest = pending;
        pending = new byte[0];
        return rest;
    }

    public boolean isHoldingBack() {
        return pending.length > 0;
    }

    /// How many values were replaced.
    public int hits() {
        return hits;
    }

    /// Whose value was replaced last, or a negative number.
    int lastOwner() {
        return lastOwner;
    }

    /// @return up to where everything was written
    private int replaced(byte[] text, int first, int to, ByteArrayOutputStream out) {
        int done = 0;
        for (int at = first; at < to; at = patterns.find(text, done, to)) {
            PatternSet.Spelling found = patterns.pattern(patterns.longestAt(text, at, to));
            out.write(text, done, at - done);
            boolean isSameLength = keepsLength || found.encoding().isBlocked();
            out.writeBytes(isSameLength ? found.standInOfSameLength() : found.standIn());
            done = at + found.bytes().length;
            hits++;
            lastOwner = found.owner();
        }
        return done;
    }

    private byte[] room(int length) {
        if (scratch.length < length) {
            scratch = new byte[Math.max(length, 16 * 1024)];
        }
        return scratch;
    }
}
