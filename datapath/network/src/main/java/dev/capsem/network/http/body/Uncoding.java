package dev.capsem.network.http.body;

import com.aayushatharva.brotli4j.decoder.DecoderJNI;
import com.github.luben.zstd.ZstdDecompressCtx;
import com.github.luben.zstd.ZstdException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.function.Consumer;

/// Undoes one content coding, piece by piece, and knows whether what it was given is whole: the rest of a body that is
/// cut off in the middle could be read by others who are less strict.
interface Uncoding extends AutoCloseable {
    /// The largest piece that is handed out at once.
    int PIECE_BYTES = 16 * 1024;

    /// The data is not what the coding says.
    final class BrokenException extends Exception {
        private static final long serialVersionUID = 1L;

        BrokenException(String message) {
            super(message, null, false, false);
        }
    }

    /// @param out its buffer is valid during the call only
    void feed(ByteBuffer in, Consumer<ByteBuffer> out) throws BrokenException;

    /// Whether the data so far has an end, or there was none at all.
    boolean isWhole();

    @Override
    void close();

    /// RFC 7932. One stream; what follows it is no part of it.
    final class Brotli implements Uncoding {
        private final DecoderJNI.Wrapper decoder;
        private boolean hasBegun;

        Brotli() throws IOException {
            decoder = new DecoderJNI.Wrapper(PIECE_BYTES);
        }

        @Override
        public void feed(ByteBuffer in, Consumer<ByteBuffer> out) throws BrokenException {
            hasBegun |= in.hasRemaining();
            while (true) {
                switch (decoder.getStatus()) {
                    case DONE -> {
                        if (in.hasRemaining()) {
                            throw new BrokenException("something follows its end");
                        }
                        return;
                    }
                    case OK -> decoder.push(0);
                    case NEEDS_MORE_OUTPUT -> out.accept(decoder.pull());
                    case NEEDS_MORE_INPUT -> {
                        if (decoder.hasOutput()) {
                            out.accept(decoder.pull());
                        }
                        if (!in.hasRemaining()) {
                            return;
                        }
                        ByteBuffer to = decoder.getInputBuffer().clear();
                        int taken = Math.min(to.remaining(), in.remaining());
                        to.put(in.slice(in.position(), taken));
                        in.position(in.position() + taken);
                        decoder.push(taken);
                    }
                    case ERROR -> throw new BrokenException("it is no brotli");
                }
            }
        }

        @Override
        public boolean isWhole() {
            return !hasBegun || decoder.getStatus() == DecoderJNI.Status.DONE;
        }

        @Override
        public void close() {
            decoder.destroy();
        }
    }

    /// RFC 8878, as many frames as there are.
    final class Zstd implements Uncoding {
        private final ZstdDecompressCtx decoder = new ZstdDecompressCtx();
        private final ByteBuffer source = ByteBuffer.allocateDirect(PIECE_BYTES);
        private final ByteBuffer target = ByteBuffer.allocateDirect(PIECE_BYTES);
        private boolean isWhole = true;

        @Override
        public void feed(ByteBuffer in, Consumer<ByteBuffer> out) throws BrokenException {
            try {
                while (in.hasRemaining()) {
                    int taken = Math.min(source.capacity(), in.remaining());
                    source.clear().put(in.slice(in.position(), taken)).flip();
                    in.position(in.position() + taken);
                    boolean mayHoldMore = true;
                    while (source.hasRemaining() || mayHoldMore) {
                        int before = source.position();
                        target.clear();
                        isWhole = decoder.decompressDirectByteBufferStream(target, source);
                        mayHoldMore = !target.hasRemaining();
                        boolean hasMoved = source.position() > before || target.position() > 0;
                        out.accept(target.flip());
                        if (!hasMoved) {
                            break;
                        }
                    }
                }
            } catch (ZstdException broken) {
                throw new BrokenException("it is no zstd");
            }
        }

        @Override
        public boolean isWhole() {
            return isWhole;
        }

        @Override
        public void close() {
            decoder.close();
        }
    }
}
