package dev.capsem.e2e;

import static org.assertj.core.api.Assertions.assertThat;

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

/// More bytes than fit in the heap, and many streams: they pass whole, and memory stays where it is. How fast, `capsem
/// bench net` measures.
@Tag("e2e")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class NetBulkTest {
    /// More than the heap of a capsem-process can grow to (320).
    private static final int MEBIBYTES = 384;

    private static final long BYTES = (long) MEBIBYTES << 20;

    /// Buffers of a few connections and what the collector has not taken yet: about half of what passed.
    private static final long GROWTH_BYTES_MAX = 200L * 1024 * 1024;

    /// Enough that none of them can be served one after the other in the time the others take.
    private static final int STREAMS = 100;

    private World world;
    private NetSandbox sandbox;

    @BeforeAll
    void start() {
        world = new World();
        sandbox = NetSandbox.startAlone(Account.available().getFirst(), world, "");
    }

    @AfterAll
    void stop() {
        sandbox.close();
        world.close();
    }

    private record Measured(Executed executed, long growthBytes) {}

    @Test
    void whatComesDownIsTheSame() {
        String expected = new BulkBytes(MEBIBYTES).sha256();
        sandbox.exec("curl -sS -o /dev/null https://{web}/bulk?mib=64");

        Measured through =
                measured(() -> sandbox.exec("curl -sS 'https://{web}/bulk?mib=" + MEBIBYTES + "' | sha256sum"));

        assertThat(through.executed().stdout())
                .as("%s", through.executed().stderr())
                .startsWith(expected);
        assertThat(through.growthBytes()).isLessThan(GROWTH_BYTES_MAX);
        assertThat(sandbox.awaitRow("SELECT * FROM net_events WHERE path = '/bulk' AND query = ?", "mib=" + MEBIBYTES)
                        .number("bytes_received"))
                .isEqualTo(BYTES);
    }

    @Test
    void whatGoesUpIsTheSame() {
        String put = "head -c " + BYTES + " /dev/zero |"
                + " openssl enc -aes-128-ctr -K 000102030405060708090a0b0c0d0e0f -iv 00000000000000000000000000000000 |"
                + " tee /tmp/pipe.$$ | curl -sS --http1.1 -T - -X POST -o /dev/null https://{web}/upload";
        String both = "mkfifo /tmp/pipe.$$; sha256sum < /tmp/pipe.$$ & " + put + "; wait; rm /tmp/pipe.$$";

        Measured through = measured(() -> sandbox.exec(both));

        List<Received> uploads = world.web().received("/upload");
        assertThat(uploads).singleElement().satisfies(upload -> {
            assertThat(upload.isComplete()).isTrue();
            assertThat(upload.bodyBytes()).isEqualTo(BYTES);
            assertThat(through.executed().stdout())
                    .as("%s", through.executed().stderr())
                    .startsWith(upload.bodySha256());
        });
        assertThat(through.growthBytes()).isLessThan(GROWTH_BYTES_MAX);
        assertThat(sandbox.awaitRow("SELECT * FROM net_events WHERE path = '/upload'")
                        .number("bytes_sent"))
                .isEqualTo(BYTES);
    }

    @Test
    void manyEventStreamsAtOnceAllEndWhole() {
        NetClients.NODE_FETCH.missing(world).ifPresent(reason -> Assumptions.abort("skipped: " + reason));

        Measured run = measured(() -> sandbox.exec("node $S/sse.mjs https://{web}/sse " + STREAMS));

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
        Executed executed = task.get();
        isOver.set(true);
        try {
            watcher.join();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
        return new Measured(executed, highest[0] - before);
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
