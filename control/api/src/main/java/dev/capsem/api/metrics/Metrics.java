package dev.capsem.api.metrics;

import dev.capsem.service.SandboxEngine;
import dev.capsem.service.processes.ProcessConnection;
import dev.capsem.service.processes.ProcessConnector;
import dev.capsem.service.table.Sandbox;
import dev.capsem.wire.io.IpcException;
import dev.capsem.wire.io.TaskScope;
import dev.capsem.wire.ipc.Answered;
import dev.capsem.wire.ipc.ProcessMessage;
import dev.capsem.wire.ipc.ServiceMessage;
import dev.capsem.wire.json.Json;
import dev.capsem.wire.json.JsonShapeException;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.function.IntSupplier;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;

/// Asks all live sandboxes at the same time; one that does not answer in time is missing from the text, and counted.
public final class Metrics {
    public static final String MEDIA_TYPE = Exposition.MEDIA_TYPE;

    /// Half of the ten seconds after which Prometheus gives up, with room for a busy host.
    private static final Duration ANSWER_MAX = Duration.ofSeconds(4);

    private final SandboxEngine host;
    private final ProcessConnector connector;
    private final IntSupplier approvalsPending;
    private final OperationWatch operations;
    private final int sandboxesMax;
    private final Clock clock;
    private final Instant startedAt;

    public Metrics(
            SandboxEngine host,
            ProcessConnector connector,
            IntSupplier approvalsPending,
            OperationWatch operations,
            int sandboxesMax,
            Clock clock) {
        this.operations = operations;
        this.host = host;
        this.connector = connector;
        this.approvalsPending = approvalsPending;
        this.sandboxesMax = sandboxesMax;
        this.clock = clock;
        this.startedAt = clock.instant();
    }

    public String text() {
        Exposition text = new Exposition();
        List<Sandbox> sandboxes = List.copyOf(host.sandboxes().all());
        service(text, sandboxes);
        text.gauge("sandboxes_silent", (double) ask(sandboxes, text));
        return text.text();
    }

    private void service(Exposition text, List<Sandbox> sandboxes) {
        Map<String, Long> byState = sandboxes.stream()
                .collect(Collectors.groupingBy(
                        (Sandbox sandbox) -> sandbox.status().wireName().toLowerCase(Locale.ROOT),
                        TreeMap::new,
                        Collectors.counting()));
        byState.forEach((state, count) -> text.gauge("sandboxes{state=\"" + state + "\"}", count));
        text.gauge("sandboxes_max", sandboxesMax);
        text.gauge("approvals_pending", approvalsPending.getAsInt());
        text.gauge("spare_processes_ready", host.sparesReady());
        text.gauge("service_uptime_seconds", (double)
                Duration.between(startedAt, clock.instant()).toSeconds());
        text.counter("ipc_drops_total", (double) host.drops().count());
        text.counter("server_errors_total", (double) operations.serverErrors());
        text.counter("slow_operations_total", (double) operations.slow());
    }

    private record Asked(String id, Future<Optional<JsonNode>> answer) {}

    /// How many said nothing.
    private long ask(List<Sandbox> sandboxes, Exposition text) {
        long silent = 0;
        try (TaskScope scope = new TaskScope("metrics", (_, _) -> {})) {
            List<Asked> asked = new ArrayList<>();
            for (Sandbox sandbox : sandboxes) {
                if (sandbox.instance().isPresent()) {
                    asked.add(new Asked(sandbox.id().value(), scope.fork(() -> snapshot(sandbox))));
                }
            }
            for (Asked one : asked) {
                Optional<JsonNode> snapshot = waitFor(one);
                snapshot.ifPresent(values -> text.sandbox(one.id(), values));
                silent += snapshot.isPresent() ? 0 : 1;
            }
        }
        return silent;
    }

    private static Optional<JsonNode> waitFor(Asked asked) {
        try {
            return asked.answer().get();
        } catch (ExecutionException e) {
            return Optional.empty();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        }
    }

    private Optional<JsonNode> snapshot(Sandbox sandbox) {
        try (ProcessConnection connection =
                connector.open(sandbox.instance().orElseThrow().socket(), ANSWER_MAX)) {
            return connection.ask(new ServiceMessage.GetMetrics())
                            instanceof Answered.With(ProcessMessage.Metrics(String json))
                    ? Optional.of(Json.parse(json.getBytes(StandardCharsets.UTF_8)))
                    : Optional.empty();
        } catch (IpcException | JsonShapeException e) {
            return Optional.empty();
        }
    }
}
