package dev.capsem.network.http;

import dev.capsem.events.security.Body;
import dev.capsem.events.security.BodyCharset;
import dev.capsem.events.security.Headers;
import dev.capsem.network.metrics.NetworkMetrics;
import dev.capsem.network.record.Preview;
import io.netty.buffer.ByteBuf;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;

/// Looks at a body as it passes: counts it, keeps a preview, and, if asked, all of it as far as it is inspected. Never
/// touches what passes.
final class BodyWatch implements AutoCloseable {
    private final Optional<String> contentType;
    private final ContentDecoder decoder;
    private final Preview preview;
    private final Optional<Consumer<ByteBuffer>> tap;
    private final NetworkMetrics metrics;
    private ByteArrayOutputStream kept = new ByteArrayOutputStream();
    private boolean keepsAll;
    private boolean isTooLarge;
    private long bytes;

    /// @param tap shown everything, decoded
    BodyWatch(Headers headers, Preview preview, Optional<Consumer<ByteBuffer>> tap, NetworkMetrics metrics) {
        this.contentType = headers.value("content-type");
        this.decoder = ContentDecoder.of(headers.value("content-encoding"));
        this.preview = preview;
        this.tap = tap;
        this.metrics = metrics;
    }

    /// From now on everything decoded is kept, up to what is inspected.
    void keepAll() {
        keepsAll = true;
    }

    void sees(ByteBuf content) {
        bytes += content.readableBytes();
        if (tap.isPresent() || (keepsAll && !isTooLarge) || !preview.isFull()) {
            long started = System.nanoTime();
            decoder.decode(content, this::decoded);
            metrics.hookRan(NetworkMetrics.Hook.INSPECTION, System.nanoTime() - started);
        }
    }

    /// No more of it comes.
    void ended() {
        if (tap.isPresent() || (keepsAll && !isTooLarge)) {
            decoder.end();
        }
    }

    private void decoded(ByteBuffer piece) {
        preview.add(piece);
        if (keepsAll && !isTooLarge) {
            if (kept.size() + piece.remaining() > Limits.INSPECTED_BYTES) {
                isTooLarge = true;
                kept = new ByteArrayOutputStream();
            } else {
                byte[] copy = new byte[piece.remaining()];
                piece.get(piece.position(), copy);
                kept.writeBytes(copy);
            }
        }
        if (tap.isPresent()) {
            long started = System.nanoTime();
            tap.get().accept(piece);
            metrics.hookRan(NetworkMetrics.Hook.MODEL, System.nanoTime() - started);
        }
    }

    boolean isCoded() {
        return decoder.isCoded();
    }

    /// How much is kept for rules.
    long keptBytes() {
        return kept.size();
    }

    /// How much more may be kept once that many bytes were seen.
    long keptAtMost(int more) {
        return !keepsAll || isBeyondInspection()
                ? 0
                : Math.min(decoder.atMost(more), Limits.INSPECTED_BYTES - kept.size());
    }

    /// As sent, with its coding.
    long bytes() {
        return bytes;
    }

    /// Whether waiting for more of it would not help anybody.
    boolean isBeyondInspection() {
        return isTooLarge || decoder.isBroken() || bytes > Limits.INSPECTED_BYTES;
    }

    boolean isUndecodable() {
        return decoder.isBroken();
    }

    /// Why it cannot be decoded, if so.
    Optional<String> trouble() {
        Optional<String> undecoded = decoder.trouble();
        if (undecoded.isPresent() || isBeyondInspection()) {
            return undecoded;
        }
        return BodyCharset.of(content(), contentType) instanceof BodyCharset.Unknown(String reason)
                ? Optional.of(reason)
                : Optional.empty();
    }

    byte[] content() {
        return isBeyondInspection() ? new byte[0] : kept.toByteArray();
    }

    /// What rules may see of it. Content that cannot be decoded is as far from inspection as content too large.
    Body body() {
        return isBeyondInspection()
                ? new Body.TooLarge(OptionalLong.empty(), contentType)
                : Body.of(kept.toByteArray(), contentType);
    }

    Optional<String> previewText() {
        return preview.text(contentType);
    }

    @Override
    public void close() {
        decoder.close();
    }
}
