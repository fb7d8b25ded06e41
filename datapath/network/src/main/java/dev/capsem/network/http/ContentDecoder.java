package dev.capsem.network.http;

import com.aayushatharva.brotli4j.Brotli4jLoader;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandler;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.codec.compression.BrotliDecoder;
import io.netty.handler.codec.compression.JdkZlibDecoder;
import io.netty.handler.codec.compression.ZlibWrapper;
import io.netty.handler.codec.compression.ZstdDecoder;
import io.netty.util.ReferenceCountUtil;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Consumer;

/// Undoes a body's content codings for those who look at it; the guest gets the bytes as they were. Gives up, for good,
/// on codings it does not know, on broken data, and on data that grows beyond the ratio of [Limits].
final class ContentDecoder implements AutoCloseable {
    /// A body coded more often than this is no honest body.
    private static final int CODINGS_MAX = 3;

    /// Fed in pieces of this size, so that a bomb is noticed before it has gone off.
    private static final int STEP_BYTES = 1_024;

    /// Below this much output the ratio is not looked at: short texts of one letter compress well too.
    private static final int RATIO_FREE_BYTES = 64 * 1024;

    /// The largest piece that a decoder may produce at once.
    private static final int PIECE_BYTES_MAX = 1024 * 1024;

    private final Optional<EmbeddedChannel> stages;
    private boolean isBroken;
    private long bytesIn;
    private long bytesOut;

    private ContentDecoder(Optional<EmbeddedChannel> stages, boolean isBroken) {
        this.stages = stages;
        this.isBroken = isBroken;
    }

    /// @param codings the value of Content-Encoding
    static ContentDecoder of(Optional<String> codings) {
        List<ChannelHandler> handlers = new ArrayList<>();
        for (String coding : codings.orElse("").split(",")) {
            switch (coding.strip().toLowerCase(Locale.ROOT)) {
                case "", "identity" -> {}
                case "gzip", "x-gzip" -> handlers.add(new JdkZlibDecoder(ZlibWrapper.GZIP, true, PIECE_BYTES_MAX));
                case "deflate" -> handlers.add(new JdkZlibDecoder(ZlibWrapper.ZLIB_OR_NONE, PIECE_BYTES_MAX));
                case "br" -> {
                    if (!Brotli4jLoader.isAvailable()) {
                        return new ContentDecoder(Optional.empty(), true);
                    }
                    handlers.add(new BrotliDecoder());
                }
                case "zstd" -> handlers.add(new ZstdDecoder(PIECE_BYTES_MAX));
                default -> {
                    return new ContentDecoder(Optional.empty(), true);
                }
            }
        }
        if (handlers.size() > CODINGS_MAX) {
            return new ContentDecoder(Optional.empty(), true);
        }
        // The last coding named was applied last, so it comes off first.
        Collections.reverse(handlers);
        return new ContentDecoder(
                handlers.isEmpty()
                        ? Optional.empty()
                        : Optional.of(new EmbeddedChannel(handlers.toArray(ChannelHandler[]::new))),
                false);
    }

    /// True once nothing more can be told about the content.
    boolean isBroken() {
        return isBroken;
    }

    /// Requires: on an event loop, one body at a time. The buffer's indices stay.
    ///
    /// @param out its buffer is valid during the call only
    void decode(ByteBuf in, Consumer<ByteBuffer> out) {
        if (isBroken || !in.isReadable()) {
            return;
        }
        if (stages.isEmpty()) {
            for (ByteBuffer piece : in.nioBuffers()) {
                out.accept(piece);
            }
            return;
        }
        ByteBuf rest = in.duplicate();
        while (rest.isReadable() && !isBroken) {
            step(rest.readSlice(Math.min(STEP_BYTES, rest.readableBytes())), stages.get(), out);
        }
    }

    private void step(ByteBuf piece, EmbeddedChannel channel, Consumer<ByteBuffer> out) {
        bytesIn += piece.readableBytes();
        try {
            channel.writeInbound(piece.retainedDuplicate());
            drain(channel, out);
        } catch (DecoderException | IllegalStateException | LinkageError broken) {
            // A library that does not fit is no reason to keep the bytes from the guest: they only go unread.
            isBroken = true;
            drain(channel, _ -> {});
        }
        if (bytesOut > RATIO_FREE_BYTES && bytesOut / Limits.DECOMPRESSION_RATIO > bytesIn) {
            isBroken = true;
        }
    }

    private void drain(EmbeddedChannel channel, Consumer<ByteBuffer> out) {
        for (Object message = channel.readInbound(); message != null; message = channel.readInbound()) {
            try {
                if (message instanceof ByteBuf decoded && !isBroken) {
                    bytesOut += decoded.readableBytes();
                    for (ByteBuffer piece : decoded.nioBuffers()) {
                        out.accept(piece);
                    }
                }
            } finally {
                ReferenceCountUtil.release(message);
            }
        }
    }

    @Override
    public void close() {
        stages.ifPresent(channel -> {
            try {
                channel.finishAndReleaseAll();
            } catch (DecoderException cutShort) {
                isBroken = true;
            }
        });
    }
}
