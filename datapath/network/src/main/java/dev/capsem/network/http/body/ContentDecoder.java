package dev.capsem.network.http.body;

import com.aayushatharva.brotli4j.Brotli4jLoader;
import dev.capsem.network.http.limit.Limits;
import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Consumer;

/// Undoes a body's content codings for those who look at it; the guest gets the bytes as they were. Gives up, for
/// good, on codings it does not know, on broken data, on data that is cut off, and on data that grows beyond the
/// ratio of [Limits].
final class ContentDecoder implements AutoCloseable {
    /// A body coded more often than this is no honest body.
    private static final int CODINGS_MAX = 3;

    /// Fed in pieces of this size, so that a bomb is noticed before it has gone off.
    private static final int STEP_BYTES = 1_024;

    private final List<Uncoding> stages;
    private Optional<String> trouble;
    private boolean isClosed;
    private long bytesIn;
    private long bytesOut;

    private ContentDecoder(List<Uncoding> stages, Optional<String> trouble) {
        this.stages = stages;
        this.trouble = trouble;
    }

    /// @param codings the value of Content-Encoding
    static ContentDecoder of(Optional<String> codings) {
        List<Uncoding> stages = new ArrayList<>();
        for (String coding : codings.orElse("").split(",")) {
            Optional<String> unknown = add(coding.strip().toLowerCase(Locale.ROOT), stages);
            if (unknown.isPresent() || stages.size() > CODINGS_MAX) {
                stages.forEach(Uncoding::close);
                return new ContentDecoder(
                        List.of(), unknown.or(() -> Optional.of("it is coded more than " + CODINGS_MAX + " times")));
            }
        }
        // The last coding named was applied last, so it comes off first.
        Collections.reverse(stages);
        return new ContentDecoder(List.copyOf(stages), Optional.empty());
    }

    /// @return what is wrong with the coding
    private static Optional<String> add(String coding, List<Uncoding> stages) {
        try {
            switch (coding) {
                case "", "identity" -> {}
                case "gzip", "x-gzip" -> stages.add(new Inflating(true));
                case "deflate" -> stages.add(new Inflating(false));
                case "br" -> {
                    if (!Brotli4jLoader.isAvailable()) {
                        return Optional.of("brotli cannot be read on this host");
                    }
                    stages.add(new Uncoding.Brotli());
                }
                case "zstd" -> stages.add(new Uncoding.Zstd());
                default -> {
                    return Optional.of("its Content-Encoding is none of gzip, deflate, br and zstd");
                }
            }
            return Optional.empty();
        } catch (IOException | LinkageError unfit) {
            // A library that does not fit is no reason to keep the bytes from the guest: they only go unread.
            return Optional.of("its Content-Encoding cannot be read on this host");
        }
    }

    /// Why nothing more can be told about the content, once that is so.
    Optional<String> trouble() {
        return trouble;
    }

    boolean isBroken() {
        return trouble.isPresent();
    }

    boolean isCoded() {
        return !stages.isEmpty();
    }

    /// How much that many bytes may become.
    long atMost(int more) {
        return isCoded()
                ? Math.max(Limits.RATIO_FREE_BYTES, (bytesIn + more) * Limits.DECOMPRESSION_RATIO) - bytesOut
                : more;
    }

    /// Requires: on an event loop, one body at a time. The buffer's indices stay.
    ///
    /// @param out its buffer is valid during the call only
    void decode(ByteBuf in, Consumer<ByteBuffer> out) {
        if (isClosed || isBroken() || !in.isReadable()) {
            return;
        }
        for (ByteBuffer piece : in.nioBuffers()) {
            if (stages.isEmpty()) {
                out.accept(piece);
                continue;
            }
            while (piece.hasRemaining() && !isBroken()) {
                int length = Math.min(STEP_BYTES, piece.remaining());
                step(piece.slice(piece.position(), length), out);
                piece.position(piece.position() + length);
            }
        }
    }

    /// No more comes: what has no end by now was cut off.
    void end() {
        if (!isBroken() && !stages.stream().allMatch(Uncoding::isWhole)) {
            trouble = Optional.of("it ends in the middle of its compressed data");
        }
    }

    private void step(ByteBuffer piece, Consumer<ByteBuffer> out) {
        bytesIn += piece.remaining();
        try {
            through(0, piece, out);
        } catch (Uncoding.BrokenException | Stopped | IllegalStateException broken) {
            trouble = trouble.or(() -> Optional.of("it is not what its Content-Encoding says"));
        }
    }

    private void through(int place, ByteBuffer piece, Consumer<ByteBuffer> out) throws Uncoding.BrokenException {
        if (place < stages.size()) {
            stages.get(place).feed(piece, decoded -> {
                try {
                    through(place + 1, decoded, out);
                } catch (Uncoding.BrokenException broken) {
                    throw new Stopped();
                }
            });
            return;
        }
        bytesOut += piece.remaining();
        if (bytesOut > Limits.RATIO_FREE_BYTES && bytesOut / Limits.DECOMPRESSION_RATIO > bytesIn) {
            trouble = Optional.of("it grows more than " + Limits.DECOMPRESSION_RATIO + " times when it is decoded");
            throw new Stopped();
        }
        out.accept(piece);
    }

    /// Leaves all stages at once.
    private static final class Stopped extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Stopped() {
            super(null, null, false, false);
        }
    }

    @Override
    public void close() {
        if (!isClosed) {
            isClosed = true;
            stages.forEach(Uncoding::close);
        }
    }
}
