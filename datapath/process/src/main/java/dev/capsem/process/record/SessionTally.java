package dev.capsem.process.record;

import dev.capsem.events.EventJson;
import dev.capsem.events.EventSink;
import dev.capsem.events.RecordedExchange;
import dev.capsem.events.row.DnsRow;
import dev.capsem.events.row.ExecRow;
import dev.capsem.events.row.FsRow;
import dev.capsem.events.row.NetRow;
import dev.capsem.events.row.Outcome;
import dev.capsem.events.row.Projection;
import dev.capsem.events.vocabulary.EventFamily;
import dev.capsem.events.vocabulary.FinalAction;
import dev.capsem.wire.json.Json;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/// An event sink before another: counts what passes, for /info and /list, and shows it to whoever watches.
public final class SessionTally implements EventSink {
    /// By the names that the service's JSON has.
    public enum Count {
        TOTAL_REQUESTS,
        DENIED_REQUESTS,
        TOTAL_DNS_QUERIES,
        DENIED_DNS_QUERIES,
        TOTAL_FILE_EVENTS,
        PROCESS_EVENT_COUNT,
        PROCESS_EXEC_COUNT,
        SECURITY_EVENTS_TOTAL,
        ENFORCEMENT_DECISIONS_TOTAL,
        BLOCKS_TOTAL,
        /// Times that file changes may have been missed: too many directories, or more changes than were taken in.
        FILE_WATCH_GAPS;

        String wireName() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    private final EventSink sink;
    private final LiveEvents live;
    private final Map<Count, LongAdder> counts = new ConcurrentHashMap<>();

    public SessionTally(EventSink sink, LiveEvents live) {
        this.sink = sink;
        this.live = live;
    }

    @Override
    public Receipt offer(RecordedExchange exchange) {
        note(exchange);
        return sink.offer(exchange);
    }

    @Override
    public Receipt recordOrWait(RecordedExchange exchange) {
        note(exchange);
        return sink.recordOrWait(exchange);
    }

    public void add(Count count, long amount) {
        counts.computeIfAbsent(count, name -> new LongAdder()).add(amount);
    }

    public Map<String, Long> counters() {
        Map<String, Long> counters = new LinkedHashMap<>();
        for (Count count : Count.values()) {
            LongAdder adder = counts.get(count);
            counters.put(count.wireName(), adder == null ? 0 : adder.sum());
        }
        return counters;
    }

    private void note(RecordedExchange exchange) {
        FinalAction action = exchange.event().judgement().finalAction();
        add(Count.SECURITY_EVENTS_TOTAL, 1);
        if (!action.isDroppable()) {
            add(Count.ENFORCEMENT_DECISIONS_TOTAL, 1);
        }
        if (action == FinalAction.BLOCK) {
            add(Count.BLOCKS_TOTAL, 1);
        }
        if (exchange.event().type().family() == EventFamily.PROCESS) {
            add(Count.PROCESS_EVENT_COUNT, 1);
        }
        exchange.rows().forEach(this::note);
        live.publish(exchange.event().type().family().wireName(), () -> Json.text(EventJson.tree(exchange)));
    }

    private void note(Projection row) {
        if (row instanceof ExecRow) {
            add(Count.PROCESS_EXEC_COUNT, 1);
        } else if (row instanceof FsRow) {
            add(Count.TOTAL_FILE_EVENTS, 1);
        } else if (row instanceof NetRow net) {
            add(Count.TOTAL_REQUESTS, 1);
            add(Count.DENIED_REQUESTS, net.decision() == Outcome.DENIED ? 1 : 0);
        } else if (row instanceof DnsRow dns) {
            add(Count.TOTAL_DNS_QUERIES, 1);
            add(Count.DENIED_DNS_QUERIES, dns.decision() == Outcome.DENIED ? 1 : 0);
        }
    }
}
