package dev.capsem.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.e2e.Commands.Outcome;
import dev.capsem.e2e.Installation.Executed;
import dev.capsem.testkit.http.BulkBytes;
import dev.capsem.testkit.http.Received;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/// More bytes and more streams than fit in memory: they pass whole, and memory stays where it is. Speeds are printed
/// beside direct ones, not asserted; `capsem bench net` measures them.
@Tag("e2e")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class NetBulkTest {
    private static final int MEBIBYTES = 1024;

    /// Buffers of a few connections and what the collector has not taken yet; far below the gigabyte that passed.
    private static final long GROWTH_BYTES_MAX = 200L * 1024 * 1024;

    /// Enough that none of them can be served one after the other in the time the others take.
    private static final int STREAMS = 100;

    private World world;
    private NetSandbox sandbox;

    @BeforeAll
    void start() {
        world = new World();
        sandbox = NetSandbox.start(Account.available().getFirst(), world, "");
    }

    @AfterAll
    void stop() {
        sandbox.close();
        world.close();
    }

    private record Measured(Executed executed, long growthBytes, double seconds) {}

    @Test
    void gigabyteDownIsTheSameGigabyte() {
        String expected = new BulkBytes(MEBIBYTES).sha256();
        sandbox.exec("curl -sS -o /dev/null https://{web}/bulk?mib=64");
        String get = "curl -sS 'https://{web}/bulk?mib=" + MEBIBYTES + "' | sha256sum";
        long started = System.nanoTime();
        Outcome direct = Commands.run(
                List.of("sh", "-c", world.direct(get)), world.directEnvironment(), Path.of("/tmp"), new byte[0]);
        double directSeconds = (System.nanoTime() - started) / 1e9;

        Measured through = measured(() -> sandbox.exec(get));

        System.out.printf(
                "1 GiB down: direct %.1f s, through the door %.1f s, memory +%d MiB%n",
                directSeconds, through.seconds(), through.growthBytes() >> 20);
        assertThat(direct.stdout()).startsWith(expected);
        assertThat(through.executed().stdout())
                .as("%s", through.executed().stderr())
                .startsWith(expected);
        assertThat(through.growthBytes()).isLessThan(GROWTH_BYTES_MAX);
        assertThat(sandbox.awaitRow("SELECT * FROM net_events WHERE path = '/bulk' AND query = ?", "mib=" + MEBIBYTES)
                        .number("bytes_received"))
                .isEqualTo((long) MEBIBYTES << 20);
    }

    @Test
    void gigabyteUpIsTheSameGigabyte() {
        String put = "head -c 1073741824 /dev/zero |"
                + " openssl enc -aes-128-ctr -K 000102030405060708090a0b0c0d0e0f -iv 00000000000000000000000000000000 |"
                + " tee /tmp/pipe.$$ | curl -sS --http1.1 -T - -X POST -o /dev/null https://{web}/upload";
        String both = "mkfifo /tmp/pipe.$$; sha256sum < /tmp/pipe.$$ & " + put + "; wait; rm /tmp/pipe.$$";
        long started = System.nanoTime();
        Outcome direct = Commands.run(
                List.of("sh", "-c", world.direct(both)), world.directEnvironment(), Path.of("/tmp"), new byte[0]);
        double directSeconds = (System.nanoTime() - started) / 1e9;

        Measured through = measured(() -> sandbox.exec(both));

        System.out.printf(
                "1 GiB up: direct %.1f s, through the door %.1f s, memory +%d MiB%n",
                directSeconds, through.seconds(), through.growthBytes() >> 20);
        String expected = direct.stdout().substring(0, 64);
        assertThat(through.executed().stdout()).startsWith(expected);
        List<Received> uploads = world.web().received("/upload");
        assertThat(uploads).hasSize(2).allSatisfy(upload -> {
            assertThat(upload.isComplete()).isTrue();
            assertThat(upload.bodyBytes()).isEqualTo(1_073_741_824L);
            assertThat(upload.bodySha256()).isEqualTo(expected);
        });
        assertThat(through.growthBytes()).isLessThan(GROWTH_BYTES_MAX);
        assertThat(sandbox.awaitRow("SELECT * FROM net_events WHERE path = '/upload'")
                        .number("bytes_sent"))
                .isEqualTo(1_073_741_824L);
    }

    @Test
    void manyEventStreamsAtOnceAllEndWhole() {
        NetClients.NODE_FETCH.missing(world).ifPresent(reason -> Assumptions.abort("skipped: " + reason));

        Measured run = measured(() -> sandbox.exec("node $S/sse.mjs https://{web}/sse " + STREAMS));

        System.out.printf(
                "%d event streams: %.1f s, memory +%d MiB%n", STREAMS, run.seconds(), run.growthBytes() >> 20);
        assertThat(run.executed().stdout())
                .as("%s", run.executed().stderr())
                .isEqualTo(STREAMS + " " + STREAMS * World.SSE_EVENTS + "\n");
        assertThat(run.growthBytes()).isLessThan(GROWTH_BYTES_MAX);
        assertThat(sandbox.awaitRows(STREAMS, "SELECT * FROM net_events WHERE path = '/sse'"))
                .hasSize(STREAMS)
                .allSatisfy(row -> {
                    assertThat(row.text("decision")).isEqualTo("allowed");
                    assertThat(row.number("status_code")).isEqualTo(200);
                    // One of ten streams has a number of one digit.
                    assertThat(row.number("bytes_received")).isBetween(77L, 78L);
                });
    }

    /// Runs it, and looks at the memory of this home's capsem-processes meanwhile.
    private Measured measured(Supplier<Executed> task) {
        List<Long> processes = sandbox.installation().processes().stream()
                .filter(NetBulkTest::isCapsemProcess)
                .toList();
        assertThat(processes).isNotEmpty();
        long before = memory(processes);
        long[] highest = {before};
        AtomicBoolean isOver = new AtomicBoolean();
        Thread watcher = Thread.ofVirtual().start(() -> {
            while (!isOver.get()) {
                highest[0] = Math.max(highest[0], memory(processes));
                try {
                    TimeUnit.MILLISECONDS.sleep(200);
                } catch (InterruptedException interrupted) {
                    return;
                }
            }
        });
        long started = System.nanoTime();
        Executed executed = task.get();
        double seconds = (System.nanoTime() - started) / 1e9;
        isOver.set(true);
        try {
            watcher.join();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
        return new Measured(executed, highest[0] - before, seconds);
    }

    private static boolean isCapsemProcess(long pid) {
        try {
            return Files.readString(Path.of("/proc/" + pid + "/cmdline"), StandardCharsets.ISO_8859_1)
                    .contains("ProcessMain");
        } catch (IOException gone) {
            return false;
        }
    }

    private static long memory(List<Long> processes) {
        long bytes = 0;
        for (long pid : processes) {
            try {
                for (String line : Files.readAllLines(Path.of("/proc/" + pid + "/status"))) {
                    if (line.startsWith("VmRSS:")) {
                        bytes += Long.parseLong(line.replaceAll("\\D", "")) * 1024;
                    }
                }
            } catch (IOException gone) {
                throw new UncheckedIOException(gone);
            }
        }
        return bytes;
    }
}
