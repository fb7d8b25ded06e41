package dev.capsem.service.limits;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;

/// Tells whose use of something that all share is worth a measurement now. Nobody can have taken more than has gone
/// missing since its last one: who is far from its limit while little goes missing is left alone.
///
/// @param <K> who uses it
public final class Gauge<K> {
    /// A measurement that took long is not soon repeated: at most one part in so many of the time goes into them.
    private static final int REST = 20;

    private final Duration slowBeat;
    private final Duration firstLook;
    private final long step;

    /// Guards all below.
    private final ReentrantLock lock = new ReentrantLock();

    private final Map<K, Mark> marks = new HashMap<>();
    private long free = -1;
    private long gone;

    /// @param goneThen how much had gone missing at that time
    private record Mark(long used, long goneThen, long atMillis, long tookMillis) {}

    /// @param slowBeat how often everybody is measured, whatever goes missing
    /// @param firstLook when somebody new is measured at the latest
    /// @param step what is not worth a measurement
    public Gauge(Duration slowBeat, Duration firstLook, long step) {
        this.slowBeat = slowBeat;
        this.firstLook = firstLook;
        this.step = step;
    }

    /// Told at every beat how much is left for all.
    public void left(long now) {
        lock.lock();
        try {
            if (free >= 0 && now < free) {
                gone += free - now;
            }
            free = now;
        } finally {
            lock.unlock();
        }
    }

    public boolean isDue(K who, long limit, long nowMillis) {
        lock.lock();
        try {
            Mark mark = marks.computeIfAbsent(
                    who, _ -> new Mark(0, gone, nowMillis - slowBeat.toMillis() + firstLook.toMillis(), 0));
            long age = nowMillis - mark.atMillis;
            long missing = gone - mark.goneThen;
            long worth = Math.max(step, (limit - mark.used) / 2);
            // Who makes its own measurement slow must not gain time by that: all that it had left may be gone.
            boolean isUrgent = missing >= Math.max(step, limit - mark.used);
            boolean isRested = age >= (isUrgent ? 1 : REST) * mark.tookMillis;
            return isRested && (age >= slowBeat.toMillis() || missing >= worth);
        } finally {
            lock.unlock();
        }
    }

    /// How much has gone missing by now; read before a measurement begins.
    public long gone() {
        lock.lock();
        try {
            return gone;
        } finally {
            lock.unlock();
        }
    }

    /// @param goneBefore of [#gone] when the measurement began: what was taken while it lasted may not be in it
    public void measured(K who, long used, long goneBefore, long nowMillis, long tookMillis) {
        lock.lock();
        try {
            marks.put(who, new Mark(used, goneBefore, nowMillis, tookMillis));
        } finally {
            lock.unlock();
        }
    }

    /// Forgets all others.
    public void keep(Collection<K> present) {
        lock.lock();
        try {
            marks.keySet().retainAll(present);
        } finally {
            lock.unlock();
        }
    }
}
