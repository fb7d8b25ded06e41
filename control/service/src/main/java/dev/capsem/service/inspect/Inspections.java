package dev.capsem.service.inspect;

import dev.capsem.service.problem.ServiceProblem;
import dev.capsem.telemetry.TelemetryException;
import dev.capsem.telemetry.inspect.Inspection;
import dev.capsem.telemetry.inspect.Inspector;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/// Runs queries on platform threads of its own: SQLite holds its thread for as long as a query takes, and the carriers
/// of virtual threads are as few as the host's cores.
public final class Inspections implements AutoCloseable {
    private static final int AT_ONCE_MAX = 2;
    private static final int WAITING_MAX = 16;
    private static final Path MEMORY = Path.of("/proc/self/statm");
    private static final long PAGE_BYTES = 4_096;

    private final Inspector inspector = new Inspector(System::nanoTime, Inspections::residentBytes);
    private final ThreadPoolExecutor threads = new ThreadPoolExecutor(
            AT_ONCE_MAX,
            AT_ONCE_MAX,
            30,
            TimeUnit.SECONDS,
            new ArrayBlockingQueue<>(WAITING_MAX),
            Thread.ofPlatform().name("inspect-", 0).daemon().factory());

    public Inspections() {
        threads.allowCoreThreadTimeOut(true);
    }

    public Inspection.Rows ask(Path database, String sql) {
        return switch (run(database, sql)) {
            case Inspection.Rows rows -> rows;
            case Inspection.Refused(String reason) ->
                throw new ServiceProblem(
                        ServiceProblem.Code.BAD_SQL,
                        "query failed: " + reason,
                        "send one SELECT, WITH or EXPLAIN; `capsem inspect --schema` shows the tables");
            case Inspection.Stopped(String reason) ->
                throw new ServiceProblem(
                        ServiceProblem.Code.QUERY_STOPPED,
                        "query failed: " + reason,
                        "ask for less: a WHERE on timestamp or trace_id, a LIMIT, no ORDER BY over everything");
        };
    }

    private Inspection run(Path database, String sql) {
        try {
            Future<Inspection> answer = threads.submit(() -> inspector.run(database, sql));
            return answer.get();
        } catch (RejectedExecutionException e) {
            throw new ServiceProblem(
                    ServiceProblem.Code.TOO_MANY_QUERIES,
                    AT_ONCE_MAX + " queries run and " + WAITING_MAX + " wait",
                    "try again when some have ended",
                    e);
        } catch (ExecutionException e) {
            throw failed(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ServiceProblem(ServiceProblem.Code.SHUTTING_DOWN, "the service is shutting down", "try again", e);
        }
    }

    private static RuntimeException failed(ExecutionException e) {
        if (e.getCause() instanceof TelemetryException missing
                && missing.code() == TelemetryException.Code.OPEN_FAILED) {
            return new ServiceProblem(
                    ServiceProblem.Code.NOTHING_RECORDED,
                    "nothing was recorded",
                    "run something in the sandbox first",
                    missing);
        }
        return new IllegalStateException("an inspection failed", e.getCause());
    }

    private static long residentBytes() {
        try {
            String[] pages = Files.readString(MEMORY, StandardCharsets.US_ASCII).split(" ");
            return Long.parseLong(pages[1]) * PAGE_BYTES;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        threads.shutdownNow();
    }
}
