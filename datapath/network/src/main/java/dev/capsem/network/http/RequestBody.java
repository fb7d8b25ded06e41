package dev.capsem.network.http;

import dev.capsem.events.security.Body;
import dev.capsem.events.security.Headers;
import dev.capsem.network.metrics.NetworkMetrics;
import dev.capsem.network.record.Preview;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.EventLoop;
import io.netty.handler.codec.http.DefaultLastHttpContent;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.LastHttpContent;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// A request's body on its way: what came of it and is not sent yet, and what was seen of it.
@SuppressWarnings("FutureReturnValueIgnored")
final class RequestBody {
    private final Deque<HttpContent> pending = new ArrayDeque<>();
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
    void watch(Headers headers, boolean isModelCall, NetworkMetrics metrics) {
        int previewMax = isModelCall ? Preview.MODEL_BYTES_MAX : Preview.BYTES_MAX;
        watch = new BodyWatch(headers, new Preview(previewMax), Optional.empty(), metrics);
    }

    /// Requires: it is watched. Rules will want all of it.
    ///
    /// @param length as its head says; negative if it does not
    void hold(HeldBytes budget, EventLoop loop, long length, Holding.Holder holder) {
        watched().keepAll();
        holding = new Holding(budget, loop, watched(), holder);
        holding.expect(length);
    }

    /// Whether there is no room for more of it now.
    boolean isHeldUp() {
        return holding != null && holding.isWaiting();
    }

    /// Of what is held: the holder takes it as soon as there is room.
    void arrives(HttpContent content, Holding.Holder holder) {
        if (holding == null) {
            holder.take(content);
        } else {
            holding.came(content);
        }
    }

    /// Rules have as much of it as they will ever have.
    void collected() {
        if (holding != null) {
            holding.collected();
        }
    }

    /// The content is ours to release from here on.
    void came(HttpContent received) {
        HttpContent content = withoutTrailers(received);
        isComplete |= content instanceof LastHttpContent;
        if (watch != null) {
            watch.sees(content.content());
            if (isComplete) {
                watch.ended();
            }
        }
        if (isEmpty) {
            content.release();
        } else {
            pending.add(content);
        }
    }

    /// Fields behind the body would leave after everything was judged. RFC 9110 §6.5.1 lets them be left out.
    private static HttpContent withoutTrailers(HttpContent content) {
        return content instanceof LastHttpContent last
                        && !last.trailingHeaders().isEmpty()
                ? new DefaultLastHttpContent(last.content())
                : content;
    }

    /// Nobody wants it any more.
    void threwAway(HttpContent content) {
        isComplete |= content instanceof LastHttpContent;
        drained += content.content().readableBytes();
        content.release();
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
        return drained >= Limits.DRAINED_BYTES;
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

    /// @param headers of the request that will carry it
    void replace(Body body, HttpHeaders headers) {
        discard();
        isEmpty = false;
        ByteBuf content = HeadRewrite.replaceBody(headers, body);
        pending.add(new DefaultLastHttpContent(content));
    }

    /// What a request without content has to send when it is sent again.
    void restart() {
        if (!isEmpty) {
            pending.add(LastHttpContent.EMPTY_LAST_CONTENT);
        }
    }

    /// @return whether content left, so that the request cannot be sent again
    boolean writeTo(Channel upstream) {
        boolean hasLeft = false;
        for (HttpContent content = pending.poll(); content != null; content = pending.poll()) {
            hasLeft |= content.content().isReadable();
            ChannelFuture written = upstream.write(content);
            if (holding != null && pending.isEmpty()) {
                holding.leaves(written);
            }
        }
        if (isComplete) {
            upstream.flush();
        }
        return hasLeft;
    }

    void discard() {
        pending.forEach(HttpContent::release);
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
