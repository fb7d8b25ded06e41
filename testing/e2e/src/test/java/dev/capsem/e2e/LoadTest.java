package dev.capsem.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.e2e.Installation.Executed;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Many callers at once, and more output than anybody wants: every caller gets its own answer, and memory stays
/// where it is.
@Alone
@Tag("e2e")
class LoadTest {
    private static final long OUTPUT_BYTES = 512L * 1024 * 1024;
    private static final int UPLOADS = 40;

    /// Far more than a service prepares for, and than there are cores.
    private static final int PROVISIONS = 12;

    static List<Account> accounts() {
        return Account.available();
    }

    @ParameterizedTest
    @MethodSource("accounts")
    void hundredExecsAtOnceGetTheirOwnOutput(Account account) throws Exception {
        try (Installation installation = Installation.shared(account);
                ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor()) {
            String id = installation.create();

            List<Future<Executed>> replies = new ArrayList<>();
            for (int i = 0; i < 100; i++) {
                String command = "echo out-" + i + "; echo err-" + i + " >&2; exit " + i;
                replies.add(callers.submit(() -> installation.exec(id, command)));
            }

            for (int i = 0; i < 100; i++) {
                Executed executed = replies.get(i).get();
                assertThat(executed.stdout()).isEqualTo("out-" + i + "\n");
                assertThat(executed.stderr()).isEqualTo("err-" + i + "\n");
                assertThat(executed.exitCode()).isEqualTo(i);
            }
            // Rows are written behind the commands' backs; this is only the patience of a test that will fail.
            for (int attempt = 0; recorded(installation, id) < 100 && attempt < 300; attempt++) {
                Thread.sleep(100);
            }
            assertThat(recorded(installation, id)).isEqualTo(100);
        }
    }

    @ParameterizedTest
    @MethodSource("accounts")
    void writersAtOnceAllGetTheirInputThrough(Account account) throws Exception {
        try (Installation installation = Installation.shared(account);
                ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor()) {
            String id = installation.create();

            List<Future<Integer>> replies = new ArrayList<>();
            for (int writer = 0; writer < 4; writer++) {
                String file = "/files/" + id + "/content?path=file-" + writer;
                replies.add(callers.submit(() -> {
                    for (int i = 0; i < UPLOADS; i++) {
                        installation.upload(file, new byte[i * 1_777 % 70_000]).expect(200);
                    }
                    return installation.get(file).expect(200).body().length;
                }));
            }

            for (Future<Integer> reply : replies) {
                assertThat(reply.get()).isEqualTo((UPLOADS - 1) * 1_777 % 70_000);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("accounts")
    void provisionsAtOnceAllRun(Account account) throws Exception {
        try (Installation installation = Installation.shared(account);
                ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<String>> created = new ArrayList<>();
            for (int i = 0; i < PROVISIONS; i++) {
                created.add(callers.submit(() -> installation.create()));
            }
            Set<String> ids = new HashSet<>();
            for (Future<String> one : created) {
                ids.add(one.get());
            }

            assertThat(ids).hasSize(PROVISIONS);
            for (String id : ids) {
                assertThat(installation.exec(id, "hostname").stdout().trim()).isEqualTo(id);
            }
            installation.post("/purge", "{}").expect(200);
            assertThat(installation.get("/list").json().path("sandboxes").size())
                    .isZero();
        }
    }

    /// More than may be kept at once; whose sandbox it is makes no difference on the way.
    @Test
    void outputIsCappedAndCounted() {
        try (Installation installation = Installation.shared(Account.available().getLast())) {
            String id = installation.create();
            installation.exec(id, "true");
            long before = memoryOfJvms(installation);

            Executed executed = installation.exec(id, "yes | head -c " + OUTPUT_BYTES);

            assertThat(executed.exitCode()).isZero();
            assertThat(executed.stdout().length()).isEqualTo(10 * 1024 * 1024);
            assertThat(executed.json().path("stdout_bytes").asLong()).isEqualTo(OUTPUT_BYTES);
            assertThat(executed.json().path("truncated").asBoolean()).isTrue();
            // Ten mebibytes kept, encoded and copied a few times over within the heaps' limits: never all of it.
            assertThat(memoryOfJvms(installation) - before).isLessThan(400L * 1024 * 1024);
        }
    }

    private static int recorded(Installation installation, String id) {
        return installation
                .get("/history/" + id + "?limit=1&layer=exec")
                .expect(200)
                .json()
                .path("total")
                .asInt();
    }

    private static long memoryOfJvms(Installation installation) {
        return installation.processes().stream().mapToLong(LoadTest::memory).sum();
    }

    private static long memory(long pid) {
        try {
            return Files.readAllLines(Path.of("/proc/" + pid + "/status")).stream()
                    .filter(line -> line.startsWith("VmRSS:"))
                    .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) * 1024)
                    .sum();
        } catch (IOException ended) {
            return 0;
        }
    }
}
