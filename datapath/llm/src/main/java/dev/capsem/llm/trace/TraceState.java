package dev.capsem.llm.trace;

import dev.capsem.events.vocabulary.TraceId;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/// Links the turns of a conversation: a request that carries the result of a tool call belongs to the trace of the
/// reply that asked for the call. Safe for many threads.
public final class TraceState {
    /// Calls that wait for their result; the oldest make room.
    public static final int PENDING_MAX = 10_000;

    /// A call that was not answered for so long will not be.
    public static final Duration AGE_MAX = Duration.ofHours(24);

    /// Ids are short; what is longer is not one, and is not kept.
    static final int ID_CHARACTERS_MAX = 256;

    /// A call of a tool that a model asked for.
    public record ToolCall(TraceId trace, String callId) {}

    /// @param tool as the model named it; empty once somebody took the call for his own
    private record Pending(TraceId trace, String tool, Instant since) {}

    /// Guards the two maps below.
    private final Object lock = new Object();

    /// Call to trace, oldest first.
    private final Map<String, Pending> pending = new LinkedHashMap<>();

    /// Trace to its calls in `pending`.
    private final Map<TraceId, Set<String>> calls = new HashMap<>();

    /// The trace of the first call that is known.
    public Optional<TraceId> find(List<String> callIds, Instant now) {
        synchronized (lock) {
            for (String callId : callIds) {
                Pending found = pending.get(callId);
                if (found != null && !isOld(found, now)) {
                    return Optional.of(found.trace());
                }
            }
            return Optional.empty();
        }
    }

    /// From now on the result of this call continues the trace.
    public void register(String callId, TraceId trace, Instant now) {
        register(callId, "", trace, now);
    }

    /// The oldest call of a tool that nobody has claimed yet: it is the claimer's from now on.
    ///
    /// @param isMeant whether a name that a model gave is the tool's
    public Optional<ToolCall> claim(Predicate<String> isMeant, Instant now) {
        synchronized (lock) {
            for (Map.Entry<String, Pending> entry : pending.entrySet()) {
                Pending call = entry.getValue();
                if (!call.tool().isEmpty() && !isOld(call, now) && isMeant.test(call.tool())) {
                    entry.setValue(new Pending(call.trace(), "", call.since()));
                    return Optional.of(new ToolCall(call.trace(), entry.getKey()));
                }
            }
            return Optional.empty();
        }
    }

    /// The same for a call whose tool is known by name.
    public void register(String callId, String tool, TraceId trace, Instant now) {
        if (callId.isEmpty() || callId.length() > ID_CHARACTERS_MAX) {
            return;
        }
        synchronized (lock) {
            Pending before = pending.remove(callId);
            if (before != null) {
                forget(callId, before.trace());
            }
            pending.put(callId, new Pending(trace, tool, now));
            calls.computeIfAbsent(trace, _ -> new LinkedHashSet<>()).add(callId);
            evict(now);
        }
    }

    /// The conversation is over: none of its calls will be answered. Takes time by the calls of this trace only.
    public void complete(TraceId trace) {
        synchronized (lock) {
            Set<String> finished = calls.remove(trace);
            if (finished != null) {
                finished.forEach(pending::remove);
            }
        }
    }

    public int size() {
        synchronized (lock) {
            return pending.size();
        }
    }

    private void evict(Instant now) {
        Iterator<Map.Entry<String, Pending>> oldestFirst = pending.entrySet().iterator();
        while (oldestFirst.hasNext()) {
            Map.Entry<String, Pending> oldest = oldestFirst.next();
            if (pending.size() <= PENDING_MAX && !isOld(oldest.getValue(), now)) {
                break;
            }
            oldestFirst.remove();
            forget(oldest.getKey(), oldest.getValue().trace());
        }
    }

    private void forget(String callId, TraceId trace) {
        Set<String> ofTrace = calls.get(trace);
        if (ofTrace != null) {
            ofTrace.remove(callId);
            if (ofTrace.isEmpty()) {
                calls.remove(trace);
            }
        }
    }

    private static boolean isOld(Pending call, Instant now) {
        return call.since().plus(AGE_MAX).isBefore(now);
    }
}
