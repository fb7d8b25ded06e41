package dev.capsem.network.http;

import io.netty.channel.ChannelFuture;
import io.netty.channel.EventLoop;
import io.netty.handler.codec.http.HttpContent;
import java.util.ArrayDeque;
import java.util.Deque;

/// One body that is held because a rule must read it: it is taken in no faster than there is room for it, as it came
/// and as it is decoded.
@SuppressWarnings("FutureReturnValueIgnored")
final class Holding implements AutoCloseable {
    /// Whose body it is.
    interface Holder {
        /// There is room for this.
        void take(HttpContent content);

        /// There is room again after a wait.
        void goOn();

        /// There was none in time. What came while it waited is taken all the same, to be thrown away.
        void noRoom();
    }

    private final HeldBytes.Room room;
    private final BodyWatch watch;
    private final Holder holder;
    private final Deque<HttpContent> waiting = new ArrayDeque<>();
    private long promised;
    private long raw;
    private boolean isWaiting;
    private boolean isRunning;
    private boolean isCollected;

    Holding(HeldBytes budget, EventLoop loop, BodyWatch watch, Holder holder) {
        this.room = budget.room(loop);
        this.watch = watch;
        this.holder = holder;
    }

    /// Takes all the room at once where the length is known, so that bodies do not stop one another half-way.
    ///
    /// @param length as its head says; negative if it does not
    void expect(long length) {
        promised = Math.clamp(length, 0L, (long) Limits.INSPECTED_BYTES) * (watch.isCoded() ? 1 : 2);
        isWaiting = !room.grow(promised, this::told);
    }

    /// Whether reading more would only fill memory.
    boolean isWaiting() {
        return isWaiting;
    }

    /// The content is the holder's, or ours, to release.
    void came(HttpContent content) {
        waiting.add(content);
        run();
    }

    /// Nothing more of it is held.
    void collected() {
        isCollected = true;
        promised = 0;
        room.shrink(raw + watch.keptBytes());
    }

    /// What came is on its way; what is kept of it for rules stays.
    void leaves(ChannelFuture written) {
        if (raw > 0) {
            HeldBytes.Room sent = room.split(raw);
            raw = 0;
            written.addListener(_ -> sent.close());
        }
    }

    /// Nobody asks for what is kept any more.
    void forgets() {
        room.shrink(raw);
    }

    private void run() {
        if (isRunning) {
            return;
        }
        isRunning = true;
        for (HttpContent next = waiting.peek(); next != null && !isWaiting; next = waiting.peek()) {
            int length = next.content().readableBytes();
            long most = raw + length + watch.keptBytes() + watch.keptAtMost(length);
            if (!isCollected && !room.grow(most, this::told)) {
                isWaiting = true;
                break;
            }
            waiting.remove();
            raw += isCollected ? 0 : length;
            holder.take(next);
            if (!isCollected) {
                room.shrink(Math.max(promised, raw + watch.keptBytes()));
            }
        }
        isRunning = false;
    }

    private void told(boolean hasRoom) {
        isWaiting = false;
        if (hasRoom) {
            run();
            if (!isWaiting) {
                holder.goOn();
            }
        } else {
            holder.noRoom();
            collected();
            run();
        }
    }

    @Override
    public void close() {
        waiting.forEach(HttpContent::release);
        waiting.clear();
        room.close();
    }
}
