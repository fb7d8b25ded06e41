package dev.capsem.exchange.http.body;

import dev.capsem.broker.LeakScan;
import dev.capsem.events.security.Body;
import dev.capsem.events.security.Headers;
import dev.capsem.events.traffic.ModelTap;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// A request's body on its way: the part that came and is not sent yet, and what was seen of it.
public final class RequestBody {
    /// Of a refused request's body this much is read and thrown away, so that the client gets to read our answer.
    private static final int DRAINED_BYTES = 1024 * 1024;

    private final Deque<Chunk> pending = new ArrayDeque<>();
    private @Nullable BodyWatch watch;
    private @Nullable Holding holding;
    private boolean isComplete;
    private boolean isEmpty;
    private long drained;

    /// The head said that there is none: its end is the message's.
    public void none() {
        isEmpty = true;
    }

    /// Whether nothing follows the head, not even an end.
    public boolean isEmpty() {
        return isEmpty;
    }

    /// From now on it is looked at as it comes.
    ///
    /// @param scan is shown all of it, decoded
    public void watch(
            Headers headers, BodyReader decoder, Redactor redactor, boolean isModelCall, Optional<LeakScan> scan) {
        int previewMax = isModelCall ? Preview.MODEL_BYTES_MAX : Preview.BYTES_MAX;
        BodyWatch watching = new BodyWatch(headers, decoder, redactor, previewMax, Optional.<ModelTap>empty());
        scan.ifPresent(one -> watching.showTo(one::sees));
        watch = watching;
    }

    /// Requires: it is watched. Rules will want all of it.
    ///
    /// @param length as its head says; negative if it does not
    /// @param take is told of each piece that there is room for
    public void hold(Reservation room, long length, Consumer<Chunk> take) {
        watched().keepAll();
        holding = new Holding(room, watched(), take);
        holding.expect(length);
    }

    /// Whether there is no room for more of it now.
    public boolean isHeldUp() {
        return holding != null && holding.isWaiting();
    }

    /// @param take is told of it, once there is room if it is held
    public void arrives(Chunk chunk, Consumer<Chunk> take) {
        if (holding == null) {
            take.accept(chunk);
        } else {
            holding.came(chunk);
        }
    }

    /// The holding, if rules read it.
    private Optional<Holding> held() {
        return Optional.ofNullable(holding);
    }

    /// There is room again for what is held.
    public void roomGiven() {
        held().ifPresent(Holding::goOn);
    }

    /// There was no room for what is held.
    public void giveUp() {
        held().ifPresent(Holding::giveUp);
    }

    /// Rules read all of it from here on.
    public void collected() {
        held().ifPresent(Holding::collected);
    }

    /// The chunk is ours to release from here on.
    public void came(Chunk chunk) {
        isComplete |= chunk.isLast();
        if (watch != null) {
            watch.sees(chunk);
            if (isComplete) {
                watch.ended();
            }
        }
        if (isEmpty) {
            chunk.release();
        } else {
            pending.add(chunk);
        }
    }

    /// Nobody wants it any more.
    public void threwAway(Chunk chunk) {
        isComplete |= chunk.isLast();
        drained += chunk.size();
        chunk.release();
    }

    /// The rest cannot be read.
    public void broke() {
        isComplete = false;
    }

    public boolean isComplete() {
        return isComplete;
    }

    public boolean hasNothingToSend() {
        return pending.isEmpty();
    }

    public boolean isDrainedEnough() {
        return drained >= DRAINED_BYTES;
    }

    /// Whether rules can be shown as much of it as they will ever be.
    public boolean isReadyForRules() {
        return isComplete || watched().isBeyondInspection();
    }

    public Body forRules() {
        return watched().body();
    }

    /// Why it cannot be decoded, if so.
    public Optional<String> trouble() {
        return watched().trouble();
    }

    public byte[] content() {
        return watched().content();
    }

    public long bytes() {
        return watch == null ? 0 : watch.bytes();
    }

    public Optional<String> previewText() {
        return Optional.ofNullable(watch).flatMap(BodyWatch::previewText);
    }

    /// @return the length of what is sent instead
    public int replace(Body body) {
        return replaceWith(replacement(body));
    }

    /// @return the length of what is sent instead
    public int replace(byte[] content) {
        return replaceWith(new OwnBytes(content));
    }

    private int replaceWith(Chunk other) {
        discard();
        isEmpty = false;
        pending.add(other);
        return other.size();
    }

    /// All of it, decoded; none if it was not held, or not to its end.
    public Optional<byte[]> whole() {
        return holding != null && isComplete && !watched().isBeyondInspection()
                ? Optional.of(watched().content())
                : Optional.empty();
    }

    public static Chunk replacement(Body body) {
        return body instanceof Body.Text text
                ? new OwnBytes(text.text().getBytes(StandardCharsets.UTF_8))
                : OwnBytes.END;
    }

    /// A request without content is sent again.
    public void restart() {
        if (!isEmpty) {
            pending.add(OwnBytes.END);
        }
    }

    /// @return the next piece to send, or nothing
    @Nullable
    public Chunk poll() {
        return pending.poll();
    }

    /// Of the piece that was polled last.
    public Reservation leaving() {
        return holding != null && pending.isEmpty() ? holding.leaves() : Reservation.NONE;
    }

    public void discard() {
        pending.forEach(Chunk::release);
        pending.clear();
    }

    public void close() {
        discard();
        if (holding != null) {
            holding.close();
        }
        if (watch != null) {
            watch.close();
        }
    }

    private BodyWatch watched() {
        return Objects.requireNonNull(watch, "the head was parsed first");
    }
}
