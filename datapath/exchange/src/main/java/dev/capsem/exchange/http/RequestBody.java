package dev.capsem.exchange.http;

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
final class RequestBody {
    /// Of a refused request's body this much is read and thrown away, so that the client gets to read our answer.
    private static final int DRAINED_BYTES = 1024 * 1024;

    private final Deque<Chunk> pending = new ArrayDeque<>();
    private @Nullable BodyWatch watch;
    private @Nullable Holding holding;
    private boolean isComplete;
    private boolean isEmpty;
    private long drained;

    /// The head said that there is none: its end is the message's.
    void none() {
        isEmpty = true;
    }

    /// Whether nothing follows the head, not even an end.
    boolean isEmpty() {
        return isEmpty;
    }

    /// From now on it is looked at as it comes.
    void watch(Headers headers, boolean isModelCall, HttpDependencies around) {
        int previewMax = isModelCall ? Preview.MODEL_BYTES_MAX : Preview.BYTES_MAX;
        watch = new BodyWatch(headers, previewMax, Optional.<ModelTap>empty(), around);
    }

    /// Requires: it is watched. Rules will want all of it.
    ///
    /// @param length as its head says; negative if it does not
    /// @param take is told of each piece that there is room for
    void hold(Reservation room, long length, Consumer<Chunk> take) {
        watched().keepAll();
        holding = new Holding(room, watched(), take);
        holding.expect(length);
    }

    /// Whether there is no room for more of it now.
    boolean isHeldUp() {
        return holding != null && holding.isWaiting();
    }

    /// @param take is told of it, once there is room if it is held
    void arrives(Chunk chunk, Consumer<Chunk> take) {
        if (holding == null) {
            take.accept(chunk);
        } else {
            holding.came(chunk);
        }
    }

    /// The holding, if rules read it.
    Optional<Holding> held() {
        return Optional.ofNullable(holding);
    }

    /// The chunk is ours to release from here on.
    void came(Chunk chunk) {
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
    void threwAway(Chunk chunk) {
        isComplete |= chunk.isLast();
        drained += chunk.size();
        chunk.release();
    }

    /// The rest cannot be read.
    void broke() {
        isComplete = false;
    }

    boolean isComplete() {
        return isComplete;
    }

    boolean hasNothingToSend() {
        return pending.isEmpty();
    }

    boolean isDrainedEnough() {
        return drained >= DRAINED_BYTES;
    }

    /// Whether rules can be shown as much of it as they will ever be.
    boolean isReadyForRules() {
        return isComplete || watched().isBeyondInspection();
    }

    Body forRules() {
        return watched().body();
    }

    /// Why it cannot be decoded, if so.
    Optional<String> trouble() {
        return watched().trouble();
    }

    byte[] content() {
        return watched().content();
    }

    long bytes() {
        return watch == null ? 0 : watch.bytes();
    }

    Optional<String> previewText() {
        return Optional.ofNullable(watch).flatMap(BodyWatch::previewText);
    }

    /// @return the length of what is sent instead
    int replace(Body body) {
        discard();
        isEmpty = false;
        Chunk other = replacement(body);
        pending.add(other);
        return other.size();
    }

    static Chunk replacement(Body body) {
        return body instanceof Body.Text text ? new OwnBytes(text.text().getBytes(StandardCharsets.UTF_8)) : Chunk.END;
    }

    /// A request without content is sent again.
    void restart() {
        if (!isEmpty) {
            pending.add(Chunk.END);
        }
    }

    /// @return the next piece to send, or nothing
    @Nullable
    Chunk poll() {
        return pending.poll();
    }

    /// Of the piece that was polled last.
    Reservation leaving() {
        return holding != null && pending.isEmpty() ? holding.leaves() : Reservation.NONE;
    }

    void discard() {
        pending.forEach(Chunk::release);
        pending.clear();
    }

    void close() {
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
