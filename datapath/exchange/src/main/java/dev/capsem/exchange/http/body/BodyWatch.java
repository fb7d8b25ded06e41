package dev.capsem.exchange.http.body;

import dev.capsem.events.security.Body;
import dev.capsem.events.security.BodyCharset;
import dev.capsem.events.security.Headers;
import dev.capsem.events.traffic.ModelTap;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Looks at a body as it passes: counts it, keeps a preview, and, if asked, all of it as far as it is inspected. Never
/// touches what passes.
public final class BodyWatch implements AutoCloseable {
    private final Optional<String> contentType;
    private final BodyReader decoder;
    private final Preview preview;
    private final Optional<ModelTap> tap;
    private final Redactor redactor;
    private ByteArrayOutputStream kept = new ByteArrayOutputStream();
    private @Nullable Consumer<ByteBuffer> watcher;
    private @Nullable BodyCleaner cleaner;
    private boolean keepsAll;
    private boolean isTooLarge;
    private long bytes;

    /// @param decoder for a message with these headers
    /// @param tap shown everything, decoded
    public BodyWatch(Headers headers, BodyReader decoder, Redactor redactor, int previewMax, Optional<ModelTap> tap) {
        this.contentType = headers.value("content-type");
        this.decoder = decoder;
        this.preview = new Preview(previewMax);
        this.tap = tap;
        this.redactor = redactor;
    }

    /// From now on everything decoded is kept, up to what is inspected.
    public void keepAll() {
        keepsAll = true;
    }

    /// Somebody else is shown everything, decoded.
    public void showTo(Consumer<ByteBuffer> other) {
        watcher = other;
    }

    /// From now on only what this lets pass is looked at.
    public void cleanWith(BodyCleaner other) {
        cleaner = other;
    }

    public void sees(Chunk chunk) {
        bytes += chunk.size();
        if (watcher != null || cleaner != null || tap.isPresent() || (keepsAll && !isTooLarge) || !preview.isFull()) {
            decoder.read(chunk, this::decoded);
        }
    }

    /// No more of it comes.
    public void ended() {
        if (cleaner != null) {
            look(cleaner.rest());
        }
        if (tap.isPresent() || (keepsAll && !isTooLarge)) {
            decoder.end();
        }
    }

    private void decoded(ByteBuffer piece) {
        look(cleaner == null ? piece : cleaner.clean(piece));
    }

    private void look(ByteBuffer piece) {
        if (watcher != null) {
            watcher.accept(piece);
        }
        preview.add(piece);
        if (keepsAll && !isTooLarge) {
            if (kept.size() + piece.remaining() > Body.INSPECTED_BYTES_MAX) {
                isTooLarge = true;
                kept = new ByteArrayOutputStream();
            } else {
                byte[] copy = new byte[piece.remaining()];
                piece.get(piece.position(), copy);
                kept.writeBytes(copy);
            }
        }
        if (tap.isPresent()) {
            tap.get().responseBytes(piece);
        }
    }

    public boolean isCoded() {
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
                : Math.min(decoder.atMost(more), Body.INSPECTED_BYTES_MAX - kept.size());
    }

    /// As sent, with its coding.
    public long bytes() {
        return bytes;
    }

    /// Whether waiting for more of it would not help anybody.
    public boolean isBeyondInspection() {
        return isTooLarge || decoder.trouble().isPresent() || bytes > Body.INSPECTED_BYTES_MAX;
    }

    public boolean isUndecodable() {
        return decoder.trouble().isPresent();
    }

    /// Why it cannot be decoded, if so.
    public Optional<String> trouble() {
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
    public Body body() {
        return isBeyondInspection()
                ? new Body.TooLarge(OptionalLong.empty(), contentType)
                : Body.of(kept.toByteArray(), contentType);
    }

    public Optional<String> previewText() {
        return preview.text(contentType, redactor);
    }

    @Override
    public void close() {
        decoder.close();
    }
}
