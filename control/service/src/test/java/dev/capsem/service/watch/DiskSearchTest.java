package dev.capsem.service.watch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.sandbox.SandboxException;
import dev.capsem.service.FakeHost;
import dev.capsem.service.SandboxEngine;
import dev.capsem.service.table.Sandbox;
import dev.capsem.service.table.SessionLedger;
import dev.capsem.wire.io.TaskScope;
import dev.capsem.wire.json.Json;
import dev.capsem.wire.service.ProvisionRequest;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class DiskSearchTest {
    private final AtomicLong now = new AtomicLong();
    private final List<Throwable> faults = new ArrayList<>();

    private static List<Sandbox> three(SandboxEngine host) {
        return List.of("a", "b", "c").stream()
                .map(name -> host.sandboxes()
                        .provision(
                                ProvisionRequest.fromJson(
                                        Json.parse("{\"name\":\"" + name + "\",\"persistent\":true}")),
                                SessionLedger.Mode.TEMPORARY,
                                Optional.empty())
                        .sandbox())
                .toList();
    }

    private static long amount(Map<String, Long> amounts, Sandbox sandbox) {
        return amounts.getOrDefault(sandbox.id().value(), 0L);
    }

    private static Optional<String> name(Optional<Sandbox> found) {
        return found.map(sandbox -> sandbox.id().value());
    }

    @Test
    void findsWhoHasMostThoughOneCannotBeMeasured(@TempDir Path home) throws Exception {
        try (SandboxEngine host = new FakeHost(home).open();
                TaskScope scope = new TaskScope("search", (_, fault) -> faults.add(fault))) {
            CompletableFuture<Optional<Sandbox>> found = new CompletableFuture<>();
            Map<String, Long> amounts = Map.of("b", 7L, "c", 9L);

            boolean begun = new DiskSearch(scope, now::get)
                    .begin(
                            three(host),
                            5,
                            sandbox -> {
                                if (sandbox.id().value().equals("a")) {
                                    throw new SandboxException(
                                            SandboxException.Code.COPY_FAILED, "it is gone", "nothing helps");
                                }
                                return amount(amounts, sandbox);
                            },
                            found::complete);

            assertThat(begun).isTrue();
            assertThat(name(found.get())).contains("c");
            assertThat(faults).isEmpty();
        }
    }

    @Test
    void oneSearchAtATimeAndNobodyWaits(@TempDir Path home) throws Exception {
        try (SandboxEngine host = new FakeHost(home).open();
                TaskScope scope = new TaskScope("search", (_, fault) -> faults.add(fault))) {
            DiskSearch search = new DiskSearch(scope, now::get);
            List<Sandbox> all = three(host);
            CountDownLatch walk = new CountDownLatch(1);
            CompletableFuture<Optional<Sandbox>> first = new CompletableFuture<>();

            assertThat(search.begin(all, 1, _ -> await(walk), first::complete)).isTrue();
            assertThat(search.begin(all, 1, _ -> 0, first::complete)).isFalse();
            walk.countDown();

            assertThat(name(first.get())).isPresent();
            CompletableFuture<Optional<Sandbox>> second = new CompletableFuture<>();
            while (!search.begin(all, 1, _ -> 0, second::complete)) {
                Thread.sleep(5);
            }
            assertThat(second.get()).isEmpty();
        }
    }

    @Test
    void whenTimeIsUpWhatIsKnownDecides(@TempDir Path home) throws Exception {
        try (SandboxEngine host = new FakeHost(home).open();
                TaskScope scope = new TaskScope("search", (_, fault) -> faults.add(fault))) {
            List<String> walked = new ArrayList<>();
            CompletableFuture<Optional<Sandbox>> found = new CompletableFuture<>();
            Map<String, Long> amounts = Map.of("a", 1L, "b", 2L, "c", 3L);

            new DiskSearch(scope, now::get)
                    .begin(
                            three(host),
                            1,
                            sandbox -> {
                                walked.add(sandbox.id().value());
                                now.addAndGet(DiskSearch.TIME_MAX.toNanos() / 2);
                                return amount(amounts, sandbox);
                            },
                            found::complete);

            assertThat(name(found.get())).contains("b");
            assertThat(walked).containsExactly("a", "b");
        }
    }

    private static long await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return 1;
    }
}
