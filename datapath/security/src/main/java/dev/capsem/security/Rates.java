package dev.capsem.security;

import dev.capsem.events.security.SecurityEvent;
import dev.capsem.events.vocabulary.EventId;
import dev.capsem.security.condition.Counts;
import dev.capsem.security.condition.Frame;
import dev.capsem.security.condition.Meter;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Counts events for `rate(key, window)`: exactly, by the events' own times, each event once however often it is
/// judged. What it holds is bounded; where there is no room, it says so and the rule that wanted to know blocks.
final class Rates {
    /// Keys of all meters together.
    static final int KEYS_MAX = 10_000;

    /// Times of events, of all keys together: 8 MiB.
    static final int TIMES_MAX = 1_000_000;

    /// Longer texts are no keys.
    static final int KEY_CHARS_MAX = 1_024;

    /// An event is judged again within this many others, when its name is resolved or a person has answered.
    private static final int REMEMBERED_MAX = 4_096;

    /// Events come a little out of order, since many connections are judged at once.
    private static final Duration DISORDER_MAX = Duration.ofSeconds(10);

    private final int keysMax;
    private final int timesMax;

    /// All below is guarded by this.
    private final Map<Meter, Map<String, Times>> byMeter = new HashMap<>();

    private final Map<EventId, Map<Meter, Object>> counted = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<EventId, Map<Meter, Object>> eldest) {
            return size() > REMEMBERED_MAX;
        }
    };
    private int keys;
    private int times;

    Rates() {
        this(KEYS_MAX, TIMES_MAX);
    }

    Rates(int keysMax, int timesMax) {
        this.keysMax = keysMax;
        this.timesMax = timesMax;
    }

    /// Forgets what no rule asks for any more.
    synchronized void keep(List<Meter> meters) {
        byMeter.entrySet().removeIf(counting -> {
            boolean isGone = !meters.contains(counting.getKey());
            if (isGone) {
                counting.getValue().values().forEach(this::forget);
            }
            return isGone;
        });
    }

    /// Adds the event to every meter that it has a key for, and tells what they show then.
    synchronized Counts count(List<Meter> meters, Frame frame) {
        SecurityEvent event = frame.event();
        boolean isNew = !isPartOfAnother(event);
        Map<Meter, Object> known =
                counted.computeIfAbsent(event.envelope().id(), _ -> HashMap.newHashMap(meters.size()));
        boolean isFull = false;
        for (Meter meter : meters) {
            if (known.get(meter) instanceof Long) {
                continue;
            }
            Object key = meter.key(frame);
            Optional<Long> count = key instanceof String text
                    ? count(meter, text, event.envelope().at(), isNew)
                    : Optional.empty();
            if (count.isPresent()) {
                known.put(meter, count.get());
            } else if (key instanceof String) {
                isFull = true;
            } else {
                known.put(meter, key);
            }
        }
        return new Counts(known, isFull);
    }

    /// The readings of the meters; nothing is added.
    synchronized Counts peek(List<Meter> meters, Frame frame) {
        Map<Meter, Object> shown = HashMap.newHashMap(meters.size());
        Map<Meter, Object> known = counted.getOrDefault(frame.event().envelope().id(), Map.of());
        for (Meter meter : meters) {
            Object key = meter.key(frame);
            Instant at = frame.event().envelope().at();
            Object count = known.get(meter);
            shown.put(
                    meter,
                    count instanceof Long
                            ? count
                            : key instanceof String text
                                    ? Optional.ofNullable(byMeter.getOrDefault(meter, Map.of())
                                                            .get(text))
                                                    .map(times -> times.within(at, meter.window()))
                                                    .orElse(0L)
                                            + 1
                                    : key);
        }
        return new Counts(shown, false);
    }

    /// A message on a WebSocket belongs to the request that opened it, and is on record only where a rule minds it.
    private static boolean isPartOfAnother(SecurityEvent event) {
        return event instanceof SecurityEvent.HttpRequest
                && event.envelope().correlation().parentEventId().isPresent();
    }

    private Optional<Long> count(Meter meter, String key, Instant at, boolean isNew) {
        Map<String, Times> ofMeter = byMeter.computeIfAbsent(meter, _ -> new HashMap<>());
        Times known = ofMeter.get(key);
        if (!isNew) {
            return Optional.of(known == null ? 0L : known.within(at, meter.window()));
        }
        if (known == null) {
            if (key.length() > KEY_CHARS_MAX || (keys >= keysMax && !makeRoom(at))) {
                return Optional.empty();
            }
            known = new Times();
            ofMeter.put(key, known);
            keys++;
        }
        times -= known.expire(at, meter.window());
        if (times >= timesMax && !makeRoom(at)) {
            return Optional.empty();
        }
        known.add(at.toEpochMilli());
        times++;
        return Optional.of(known.within(at, meter.window()));
    }

    private boolean makeRoom(Instant now) {
        byMeter.forEach((meter, ofMeter) -> ofMeter.values().removeIf(all -> {
            times -= all.expire(now, meter.window());
            boolean isEmpty = all.size == 0;
            keys -= isEmpty ? 1 : 0;
            return isEmpty;
        }));
        return keys < keysMax && times < timesMax;
    }

    private void forget(Times gone) {
        keys--;
        times -= gone.size;
    }

    /// Times of events in milliseconds, sorted.
    private static final class Times {
        private long[] values = new long[4];
        private int size;

        void add(long at) {
            if (size == values.length) {
                values = Arrays.copyOf(values, size * 2);
            }
            int place = size;
            while (place > 0 && values[place - 1] > at) {
                values[place] = values[place - 1];
                place--;
            }
            values[place] = at;
            size++;
        }

        /// How many lie in the window that ends with that time.
        long within(Instant at, Duration window) {
            long end = at.toEpochMilli();
            return (long) indexAfter(end) - indexAfter(end - window.toMillis());
        }

        /// Drops what no event can ask about any more; answers how many.
        int expire(Instant newest, Duration window) {
            int gone = indexAfter(newest.minus(window).minus(DISORDER_MAX).toEpochMilli());
            if (gone > 0) {
                System.arraycopy(values, gone, values, 0, size - gone);
                size -= gone;
            }
            return gone;
        }

        private int indexAfter(long time) {
            int low = 0;
            int high = size;
            while (low < high) {
                int middle = (low + high) >>> 1;
                if (values[middle] <= time) {
                    low = middle + 1;
                } else {
                    high = middle;
                }
            }
            return low;
        }
    }
}
