package dev.capsem.exchange.http.body;

import dev.capsem.events.security.Body;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Consumer;

/// One body that is held because a rule must read it: it is taken in no faster than there is room for it, as it came
/// and as it is decoded.
public final class Holding implements AutoCloseable {
    private final Reservation room;
    private final BodyWatch watch;
    private final Consumer<Chunk> take;
    private final Deque<Chunk> waiting = new ArrayDeque<>();
    private long promised;
    private long raw;
    private boolean isWaiting;
    private boolean isRunning;
    private boolean isCollected;

    /// @param take is told of each piece that there is room for
    public Holding(Reservation room, BodyWatch watch, Consumer<Chunk> take) {
        this.room = room;
        this.watch = watch;
        this.take = take;
    }

    /// Takes all the room at once where the length is known, so that bodies do not stop one another half-way.
    ///
    /// @param length as its head says; negative if it does not
    public void expect(long length) {
        promised = Math.clamp(length, 0L, (long) Body.INSPECTED_BYTES_MAX) * (watch.isCoded() ? 1 : 2);
        isWaiting = !room.grow(promised);
    }

    /// Whether reading more would only fill memory.
    public boolean isWaiting() {
        return isWaiting;
    }

    /// The chunk is ours until it is taken.
    public void came(Chunk chunk) {
        waiting.add(chunk);
        run();
    }

    /// Nothing more of it is held.
    public void collected() {
        isCollected = true;
        promised = 0;
        room.shrink(raw + watch.keptBytes());
    }

    /// What came is on its way; what is kept of it for rules stays.
    ///
    /// @return to be closed when it has left
    public Reservation leaves() {
        if (raw == 0) {
            return Reservation.NONE;
        }
        Reservation sent = room.split(raw);
        raw = 0;
        return sent;
    }

    /// As [#leaves()], and nobody asks for what is kept any more.
    public Reservation leavesForGood() {
        Reservation sent = leaves();
        room.shrink(raw);
        return sent;
    }

    private void run() {
        if (isRunning) {
            return;
        }
        isRunning = true;
        for (Chunk next = waiting.peek(); next != null && !isWaiting; next = waiting.peek()) {
            int length = next.size();
            long most = raw + length + watch.keptBytes() + watch.keptAtMost(length);
            if (!isCollected && !room.grow(most)) {
                isWaiting = true;
                break;
            }
            waiting.remove();
            raw += isCollected ? 0 : length;
            take.accept(next);
            if (!isCollected) {
                room.shrink(Math.max(promised, raw + watch.keptBytes()));
            }
        }
        isRunning = false;
    }

    /// There is room again: what waited is taken.
    public void goOn() {
        isWaiting = false;
        run();
    }

    /// There was no room in time. What waited is taken all the same, to be thrown away.
    public void giveUp() {
        isWaiting = false;
        collected();
        run();
    }

    @Override
    public void close() {
        waiting.forEach(Chunk::release);
        waiting.clear();
        room.close();
    }
}
