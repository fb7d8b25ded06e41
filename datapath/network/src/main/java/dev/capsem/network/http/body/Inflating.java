package dev.capsem.network.http.body;

import java.nio.ByteBuffer;
import java.util.function.Consumer;
import java.util.zip.CRC32;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;

/// Undoes `gzip` (RFC 1952, as many members as there are) and `deflate` (RFC 1950, or bare RFC 1951 as some servers
/// send it).
final class Inflating implements Uncoding {
    private static final int FLAG_HEADER_CHECK = 2;
    private static final int FLAG_EXTRA = 4;
    private static final int FLAG_NAME = 8;
    private static final int FLAG_COMMENT = 16;
    private static final int FLAGS_KNOWN = 31;
    private static final int FIXED_HEADER_BYTES = 10;
    private static final int TRAILER_BYTES = 8;

    private enum State {
        /// Before the first byte of a member, or of the only stream: a place to end.
        BETWEEN,
        FIXED_HEADER,
        EXTRA_LENGTH,
        EXTRA,
        NAME,
        COMMENT,
        HEADER_CHECK,
        DATA,
        TRAILER,
        /// After the only stream.
        OVER
    }

    private final boolean isGzip;
    private Inflater inflater;
    private final CRC32 check = new CRC32();
    private final byte[] piece = new byte[PIECE_BYTES];
    private final ByteBuffer small = ByteBuffer.allocate(FIXED_HEADER_BYTES).order(java.nio.ByteOrder.LITTLE_ENDIAN);
    private State state = State.BETWEEN;
    private int flags;
    private int extraLeft;

    Inflating(boolean isGzip) {
        this.isGzip = isGzip;
        this.inflater = new Inflater(isGzip);
    }

    @Override
    public void feed(ByteBuffer in, Consumer<ByteBuffer> out) throws BrokenException {
        while (in.hasRemaining()) {
            switch (state) {
                case BETWEEN -> begin(in);
                case FIXED_HEADER -> fixedHeader(in);
                case EXTRA_LENGTH -> extraLength(in);
                case EXTRA -> {
                    int skipped = Math.min(extraLeft, in.remaining());
                    in.position(in.position() + skipped);
                    extraLeft -= skipped;
                    if (extraLeft == 0) {
                        afterHeader(State.NAME);
                    }
                }
                case NAME -> text(in, State.COMMENT);
                case COMMENT -> text(in, State.HEADER_CHECK);
                case HEADER_CHECK -> {
                    if (gathered(in, 2)) {
                        afterHeader(State.DATA);
                    }
                }
                case DATA -> data(in, out);
                case TRAILER -> trailer(in);
                case OVER -> throw new BrokenException("something follows its end");
            }
        }
    }

    private void begin(ByteBuffer in) {
        if (isGzip) {
            inflater.reset();
            check.reset();
            state = State.FIXED_HEADER;
            return;
        }
        // A zlib header says its method, 8, in the low bits of its first byte; bare data hardly ever begins so.
        boolean isBare = (in.get(in.position()) & 0x0f) != 8;
        if (isBare) {
            inflater.end();
            inflater = new Inflater(true);
        }
        state = State.DATA;
    }

    private void fixedHeader(ByteBuffer in) throws BrokenException {
        if (!gathered(in, FIXED_HEADER_BYTES)) {
            return;
        }
        flags = small.get(3);
        boolean isKnown = small.get(0) == 0x1f && small.get(1) == (byte) 0x8b && small.get(2) == 8;
        if (!isKnown || (flags & ~FLAGS_KNOWN) != 0) {
            throw new BrokenException("it is no gzip");
        }
        afterHeader(State.EXTRA_LENGTH);
    }

    private void extraLength(ByteBuffer in) {
        if (gathered(in, 2)) {
            extraLeft = small.getShort(0) & 0xffff;
            if (extraLeft == 0) {
                afterHeader(State.NAME);
            } else {
                state = State.EXTRA;
            }
        }
    }

    /// Goes on with the first part, from this one on, that the flags say is there.
    private void afterHeader(State from) {
        small.clear();
        state = switch (from) {
            case EXTRA_LENGTH -> has(FLAG_EXTRA) ? State.EXTRA_LENGTH : nameOrLater();
            case NAME -> nameOrLater();
            case COMMENT -> commentOrLater();
            case HEADER_CHECK -> checkOrData();
            default -> State.DATA;
        };
    }

    private State nameOrLater() {
        return has(FLAG_NAME) ? State.NAME : commentOrLater();
    }

    private State commentOrLater() {
        return has(FLAG_COMMENT) ? State.COMMENT : checkOrData();
    }

    private State checkOrData() {
        return has(FLAG_HEADER_CHECK) ? State.HEADER_CHECK : State.DATA;
    }

    private boolean has(int flag) {
        return (flags & flag) != 0;
    }

    private void text(ByteBuffer in, State then) {
        while (in.hasRemaining()) {
            if (in.get() == 0) {
                afterHeader(then);
                return;
            }
        }
    }

    private void data(ByteBuffer in, Consumer<ByteBuffer> out) throws BrokenException {
        inflater.setInput(in);
        try {
            while (true) {
                int length = inflater.inflate(piece);
                if (length > 0) {
                    check.update(piece, 0, length);
                    out.accept(ByteBuffer.wrap(piece, 0, length));
                } else if (inflater.needsDictionary()) {
                    throw new BrokenException("it needs a dictionary");
                } else if (inflater.finished()) {
                    small.clear();
                    state = isGzip ? State.TRAILER : State.OVER;
                    return;
                } else {
                    return;
                }
            }
        } catch (DataFormatException broken) {
            throw new BrokenException("its data is damaged");
        }
    }

    private void trailer(ByteBuffer in) throws BrokenException {
        if (!gathered(in, TRAILER_BYTES)) {
            return;
        }
        boolean agrees =
                small.getInt(0) == (int) check.getValue() && small.getInt(4) == (int) inflater.getBytesWritten();
        if (!agrees) {
            throw new BrokenException("its checksum is wrong");
        }
        small.clear();
        state = State.BETWEEN;
    }

    /// @return whether that many bytes are in [#small] now
    private boolean gathered(ByteBuffer in, int wanted) {
        while (small.position() < wanted && in.hasRemaining()) {
            small.put(in.get());
        }
        return small.position() >= wanted;
    }

    @Override
    public boolean isWhole() {
        return state == State.BETWEEN || state == State.OVER;
    }

    @Override
    public void close() {
        inflater.end();
    }
}
