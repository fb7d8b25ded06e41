package dev.capsem.mcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.capsem.events.row.Attribution;
import dev.capsem.events.security.ApprovalDesk;
import dev.capsem.events.security.Envelope;
import dev.capsem.events.vocabulary.IdSource;
import dev.capsem.mcp.backend.ToolBackend;
import dev.capsem.mcp.connection.EndpointDependencies;
import dev.capsem.mcp.connection.McpLimits;
import dev.capsem.mcp.connection.SharedInterests;
import dev.capsem.mcp.record.CallTraces;
import dev.capsem.mcp.record.McpPorts;
import dev.capsem.mcp.record.ToolTrust;
import dev.capsem.wire.aggregator.AggregatorEvent;
import dev.capsem.wire.aggregator.AggregatorReply;
import dev.capsem.wire.aggregator.AggregatorReply.Kind;
import dev.capsem.wire.aggregator.Operation;
import dev.capsem.wire.json.Json;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// A guest that asks for ten thousand things at once: the backend sees as many as the limits say, the rest waits in
/// the guest, and everything is answered once.
@Timeout(120)
class McpCrowdTest {
    private static final int REQUESTS = 10_000;

    private final InstantSource clock = InstantSource.fixed(Instant.parse("2026-01-02T03:04:05Z"));
    private final IdSource ids = new IdSource(clock, new Random(1));
    private final SlowBackend backend = new SlowBackend();
    private final List<GuestEnd> guests = new ArrayList<>();

    /// Answers nothing before it is told to, and counts what waits.
    private static final class SlowBackend implements ToolBackend {
        private final Queue<CompletableFuture<AggregatorReply>> held = new ConcurrentLinkedQueue<>();
        private final AtomicInteger waiting = new AtomicInteger();
        private final AtomicInteger most = new AtomicInteger();
        private volatile int size;

        @Override
        public Pending submit(Operation operation, Consumer<AggregatorEvent> onEvent) {
            if (!(operation instanceof Operation.CallTool)) {
                return new Pending(
                        0,
                        CompletableFuture.completedFuture(
                                new AggregatorReply.Page(Kind.TOOLS, List.of(), Optional.empty())));
            }
            most.accumulateAndGet(waiting.incrementAndGet(), Math::max);
            CompletableFuture<AggregatorReply> reply = new CompletableFuture<>();
            held.add(reply);
            return new Pending(1, reply);
        }

        @Override
        public void listen(Consumer<AggregatorEvent> onEvent) {}

        /// Answers whatever waits, until so many were answered.
        void answer(int count) throws InterruptedException {
            for (int answered = 0; answered < count; ) {
                CompletableFuture<AggregatorReply> next = held.poll();
                if (next == null) {
                    Thread.sleep(1);
                } else {
                    waiting.decrementAndGet();
                    next.complete(new AggregatorReply.Result(Json.object().put("text", "x".repeat(size))));
                    answered++;
                }
            }
        }

        void await(int count) throws InterruptedException {
            while (waiting.get() < count) {
                Thread.sleep(1);
            }
        }
    }

    @AfterEach
    void close() throws IOException {
        for (GuestEnd guest : guests) {
            guest.close();
        }
    }

    private McpEndpoint endpoint(McpLimits limits) {
        McpPorts ports = new McpPorts(
                new FakeGate(),
                ApprovalDesk.NOBODY,
                correlation -> Envelope.inline(ids.nextEventId(), clock.instant(), Attribution.UNKNOWN, correlation),
                new FakeSink(),
                ToolTrust.ALL);
        return new McpEndpoint(new EndpointDependencies(
                ports,
                backend,
                CallTraces.NONE,
                new SharedInterests(backend),
                limits,
                clock,
                ids,
                "0.1.0",
                UnaryOperator.identity()));
    }

    private List<GuestEnd> guests(McpEndpoint endpoint, int count) throws IOException {
        for (int i = 0; i < count; i++) {
            guests.add(new GuestEnd(endpoint, "node"));
        }
        return guests;
    }

    /// Sends its share of requests without waiting for an answer; their ids are different from everybody else's.
    private static Thread sender(GuestEnd guest, int first, int count, String filling) {
        return Thread.ofVirtual().start(() -> {
            try {
                for (int id = first; id < first + count; id++) {
                    guest.request("{\"jsonrpc\":\"2.0\",\"id\":" + id + ",\"method\":\"tools/call\",\"params\":"
                            + "{\"name\":\"far__t\",\"arguments\":{\"a\":\"" + filling + "\"}}}");
                }
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        });
    }

    /// Reads that many answers.
    private static CompletableFuture<Set<Integer>> reader(GuestEnd guest, int count) {
        return CompletableFuture.supplyAsync(
                () -> {
                    Set<Integer> answered = new HashSet<>();
                    try {
                        for (int i = 0; i < count; i++) {
                            int id = guest.reply().get("id").asInt();
                            assertThat(answered.add(id))
                                    .as("answered once: %d", id)
                                    .isTrue();
                        }
                    } catch (IOException e) {
                        throw new IllegalStateException(e);
                    }
                    return answered;
                },
                Thread.ofVirtual()::start);
    }

    private void crowd(McpLimits limits, int connections, int requests, String filling, int most) throws Exception {
        int share = requests / connections;
        List<CompletableFuture<Set<Integer>>> readers = new ArrayList<>();
        McpEndpoint endpoint = endpoint(limits);
        int next = 0;
        for (GuestEnd guest : guests(endpoint, connections)) {
            sender(guest, next, share, filling);
            readers.add(reader(guest, share));
            next += share;
        }

        backend.await(most);
        backend.answer(requests);

        Set<Integer> all = new HashSet<>();
        for (CompletableFuture<Set<Integer>> reader : readers) {
            all.addAll(reader.get());
        }
        assertThat(all).hasSize(requests);
        assertThat(backend.most.get()).isEqualTo(most);
    }

    @Test
    void oneConnectionHasSixtyFourUnderWayAndTheRestWaits() throws Exception {
        crowd(McpLimits.DEFAULT, 1, REQUESTS, "", 64);
    }

    @Test
    void aHundredConnectionsTogetherHaveWhatASandboxMayHave() throws Exception {
        crowd(McpLimits.DEFAULT, 100, REQUESTS, "", 1_024);
    }

    @Test
    void largeRequestsAreReadOnlyAsFarAsThereIsRoom() throws Exception {
        crowd(McpLimits.DEFAULT, 40, 80, "x".repeat(1_000_000), 33);
    }

    @Test
    void oneConnectionTooManyIsClosedAndTheOthersStay() throws Exception {
        McpLimits limits = McpLimits.DEFAULT.with(8, Duration.ofSeconds(60), Duration.ofSeconds(60));
        McpEndpoint endpoint = endpoint(limits);
        List<GuestEnd> there = guests(endpoint, limits.connectionsMax());
        for (GuestEnd guest : there) {
            guest.request("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}");
            assertThat(guest.reply().has("result")).isTrue();
        }

        try (GuestEnd extra = new GuestEnd(endpoint, "node")) {
            assertThatThrownBy(extra::awaitEnd).hasMessageContaining("too many MCP connections");
        }

        there.getFirst().request("{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\"}");
        assertThat(there.getFirst().reply().get("id").asInt()).isEqualTo(2);
    }

    @Test
    void guestsThatNeverReadAreClosedWhenTheirRepliesTakeTooMuch() throws Exception {
        McpLimits limits = new McpLimits(
                64, 1_024, 128, 32 << 20, 256, 256 << 10, 1 << 20, Duration.ofMinutes(1), Duration.ofMinutes(5));
        McpEndpoint endpoint = endpoint(limits);
        backend.size = 100_000;
        GuestEnd deaf = guests(endpoint, 1).getFirst();
        sender(deaf, 0, 30, "");

        backend.await(30);
        backend.answer(30);

        assertThatThrownBy(deaf::awaitEnd).hasMessageContaining("the guest does not read its replies");
        // What it held is free again: five replies fit.
        GuestEnd other = new GuestEnd(endpoint, "node");
        guests.add(other);
        sender(other, 0, 5, "");
        backend.answer(5);
        assertThat(reader(other, 5).get()).hasSize(5);
    }
}
