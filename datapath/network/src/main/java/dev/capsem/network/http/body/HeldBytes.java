package dev.capsem.network.http.body;

import io.netty.channel.EventLoop;
import io.netty.util.concurrent.ScheduledFuture;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Counts what is held for rules to read, all exchanges of a sandbox and one direction together. Whoever finds no room
/// waits for its turn, on no thread, and not for ever.
public final class HeldBytes {
    private final long max;
    private final Duration patience;

    /// Guards what follows, and the bytes of every room.
    private final Object lock = new Object();

    private final Deque<Waiter> waiters = new ArrayDeque<>();
    private long taken;

    private record Waiter(Room room, long more, Consumer<Boolean> told) {}

    /// @param patience how long somebody waits for room
    public HeldBytes(long max, Duration patience) {
        this.max = max;
        this.patience = patience;
    }

    /// @param loop of the exchange: its room is used there only
    public Room room(EventLoop loop) {
        return new Room(loop, 0);
    }

    long taken() {
        synchronized (lock) {
            return taken;
        }
    }

    public String fullBecause() {
        return "no room within " + patience.toSeconds() + " s to hold this body for the rules that read it: all "
                + (max >> 20) + " MiB are taken by others";
    }

    /// Requires: the lock. One alone may have more than there is: it must come to an end like any other.
    private boolean take(Room room, long more) {
        if (taken + more > max && taken > room.bytes) {
            return false;
        }
        taken += more;
        room.bytes += more;
        return true;
    }

    /// Requires: the lock.
    private void serveWaiters() {
        for (Waiter next = waiters.peek(); next != null && take(next.room, next.more); next = waiters.peek()) {
            Waiter served = waiters.remove();
            served.room.loop.execute(() -> served.room.tell(served, true));
        }
    }

    /// The memory that one body uses.
    public final class Room implements AutoCloseable {
        private final EventLoop loop;
        private @Nullable ScheduledFuture<?> impatience;
        private boolean isClosed;
        private long bytes;

        private Room(EventLoop loop, long bytes) {
            this.loop = loop;
            this.bytes = bytes;
        }

        /// Requires: it does not wait.
        ///
        /// @param told on the loop, whether there was room in time, if it was not there at once
        /// @return whether it is there; who has closed it needs none
        public boolean grow(long to, Consumer<Boolean> told) {
            if (isClosed) {
                return true;
            }
            Waiter waiter;
            synchronized (lock) {
                long more = to - bytes;
                boolean hasBegun = bytes > 0;
                if (more <= 0 || ((hasBegun || waiters.isEmpty()) && take(this, more))) {
                    return true;
                }
                waiter = new Waiter(this, more, told);
                if (hasBegun) {
                    // It is through the sooner, and gives back all it has.
                    waiters.addFirst(waiter);
                } else {
                    waiters.addLast(waiter);
                }
            }
            impatience = loop.schedule(() -> giveUp(waiter), patience.toMillis(), TimeUnit.MILLISECONDS);
            return false;
        }

        private void giveUp(Waiter waiter) {
            boolean wasWaiting;
            synchronized (lock) {
                wasWaiting = waiters.remove(waiter);
                serveWaiters();
            }
            if (wasWaiting) {
                tell(waiter, false);
            }
        }

        private void tell(Waiter waiter, boolean hasRoom) {
            stopWaiting();
            if (!isClosed) {
                waiter.told.accept(hasRoom);
            }
        }

        private void stopWaiting() {
            if (impatience != null) {
                impatience.cancel(false);
                impatience = null;
            }
        }

        public void shrink(long to) {
            synchronized (lock) {
                if (bytes > to) {
                    taken -= bytes - to;
                    bytes = to;
                    serveWaiters();
                }
            }
        }

        /// A part of it in other hands.
        public Room split(long part) {
            synchronized (lock) {
                long given = Math.min(part, bytes);
                bytes -= given;
                return new Room(loop, given);
            }
        }

        @Override
        public void close() {
            isClosed = true;
            stopWaiting();
            synchronized (lock) {
                waiters.removeIf(waiter -> waiter.room == this);
                shrink(0);
                serveWaiters();
            }
        }
    }
}
