package dev.capsem.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.capsem.sandbox.LayerUse;
import dev.capsem.sandbox.MemoryUse;
import dev.capsem.sandbox.room.FilesystemRoom;
import dev.capsem.service.problem.ServiceProblem;
import dev.capsem.service.table.Sandbox;
import dev.capsem.service.table.SessionLedger;
import dev.capsem.service.table.Status;
import dev.capsem.wire.SandboxId;
import dev.capsem.wire.ipc.ServiceMessage;
import dev.capsem.wire.json.Json;
import dev.capsem.wire.service.ProvisionRequest;
import dev.capsem.wire.service.SandboxSummary;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CountDownLatch;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// A sandbox that takes more than its share is stopped, keeps what it has, and its owner is told.
class LimitWatchTest {
    private static final LayerUse TOO_MUCH = new LayerUse(17L << 30, 10);
    private static final FilesystemRoom FULL = new FilesystemRoom(100L << 30, 1L << 20, 1_000_000, 900_000);

    @TempDir
    private Path home = Path.of("replaced by JUnit");

    private FakeHost fake = new FakeHost(home);

    @BeforeEach
    void prepare() {
        fake = new FakeHost(home);
    }

    private static Sandbox provision(SandboxEngine host, String json) {
        return host.sandboxes()
                .provision(ProvisionRequest.fromJson(Json.parse(json)), SessionLedger.Mode.TEMPORARY, Optional.empty())
                .sandbox();
    }

    /// New sandboxes are looked at ten seconds after they were first seen.
    private static void look(SandboxEngine host) {
        host.watchLimits(0);
        host.watchLimits(10_000);
    }

    private static void await(BooleanSupplier done) throws InterruptedException {
        for (int attempt = 0; attempt < 3_000 && !done.getAsBoolean(); attempt++) {
            Thread.sleep(10);
        }
        assertThat(done.getAsBoolean()).isTrue();
    }

    @Test
    void aPersistentOneThatPassesItsQuotaIsStoppedAndCanBeResumed() throws Exception {
        try (SandboxEngine host = fake.open()) {
            provision(host, "{\"name\":\"lab\",\"persistent\":true}");
            provision(host, "{\"name\":\"other\",\"persistent\":true}");
            fake.fill("lab", TOO_MUCH);

            look(host);
            await(() -> host.sandboxes().find("lab").status() == Status.DEFUNCT);

            SandboxSummary told = host.views().of("lab");
            assertThat(told.lastError())
                    .contains("stopped: its files passed the quota of 16384 MB; set disk_mb above 17408 under [vm] in"
                            + " the profile coding, then `capsem resume lab`");
            assertThat(told.diskMb()).contains(16_384);
            assertThat(fake.processes().received())
                    .contains(new ServiceMessage.Stop(
                            Duration.ZERO, Optional.of("stopped: its files passed the quota of 16384 MB")));
            assertThat(fake.ledger()).contains("ended lab STOPPED");
            assertThat(fake.registry().find(new SandboxId("lab")).orElseThrow().lastError())
                    .isEqualTo(told.lastError());
            assertThat(host.sandboxes().find("other").status()).isEqualTo(Status.RUNNING);
            fake.fill("lab", LayerUse.NOTHING);
            host.sandboxes().resume("lab");
            assertThat(host.views().of("lab").lastError()).isEmpty();
        }
    }

    @Test
    void ofATemporaryOneTheFilesStayAndTheReasonIsTold() throws Exception {
        try (SandboxEngine host = fake.open()) {
            Sandbox sandbox = provision(host, "{}");
            String id = sandbox.id().value();
            Path note = sandbox.facts().sessionDir().resolve("workspace");
            Files.writeString(note, "work");
            fake.fill(id, TOO_MUCH);

            look(host);
            await(() -> host.sandboxes().all().isEmpty());

            assertThatThrownBy(() -> host.sandboxes().find(id))
                    .isInstanceOf(ServiceProblem.class)
                    .hasMessage("sandbox not found: " + id + " was stopped: its files passed the quota of 16384 MB");
            await(() -> Files.exists(host.sandboxes().logsOf(id).resolve("workspace")));
        }
    }

    @Test
    void theQuotaIsThatOfTheProfile() throws Exception {
        Files.createDirectories(home.resolve("profiles"));
        Files.writeString(
                home.resolve("profiles/coding.toml"),
                "schema = \"capsem.profile.v2\"\nid = \"coding\"\n[vm]\ndisk_mb = 20000\n");
        fake = new FakeHost(home);
        try (SandboxEngine host = fake.open()) {
            provision(host, "{\"name\":\"lab\",\"persistent\":true}");
            fake.fill("lab", TOO_MUCH);

            look(host);
            await(() -> host.views().of("lab").sizeBytes().isPresent());

            assertThat(host.views().of("lab").diskMb()).contains(20_000);
            assertThat(host.sandboxes().find("lab").status()).isEqualTo(Status.RUNNING);
        }
    }

    /// The fake host grants no cgroup, as it is for many ordinary users.
    @Test
    void whoPassesItsMemoryLosesItsLargestProcessAndThenItsLife() throws Exception {
        try (SandboxEngine host = fake.open()) {
            Sandbox lab = provision(host, "{\"name\":\"lab\",\"persistent\":true,\"ram_mb\":512}");
            provision(host, "{\"name\":\"other\",\"persistent\":true}");
            fake.remember(lab, new MemoryUse(600L << 20, OptionalLong.of(4_321)));

            host.watchLimits(later(0));
            for (int look = 1; look <= 3; look++) {
                int times = look;
                // A look that comes while the one before is under way is left out, so it is repeated.
                await(() -> {
                    boolean isEnded = fake.ended().size() >= times;
                    if (!isEnded) {
                        host.watchLimits(later(times));
                    }
                    return isEnded;
                });
                assertThat(host.sandboxes().find("lab").status()).isEqualTo(Status.RUNNING);
            }
            await(() -> {
                host.watchLimits(later(4));
                return host.sandboxes().find("lab").status() == Status.DEFUNCT;
            });

            assertThat(host.views().of("lab").lastError())
                    .contains("stopped: its memory passed 512 MB; give a new one more: `capsem create --ram 1024`");
            assertThat(fake.ended()).hasSize(3);
            assertThat(host.sandboxes().find("other").status()).isEqualTo(Status.RUNNING);
        }
    }

    /// The fake host counts no writes, so that files must be walked; the walk through one takes for ever.
    @Test
    @Timeout(120)
    void aSearchForWhoFilledTheDiskHoldsUpNobody() throws Exception {
        try (SandboxEngine host = fake.open()) {
            provision(host, "{\"name\":\"lab\",\"persistent\":true}");
            Sandbox hog = provision(host, "{\"name\":\"hog\",\"persistent\":true,\"ram_mb\":512}");
            CountDownLatch walk = fake.delay("lab");
            fake.fill("lab", new LayerUse(64L << 20, 10));
            fake.remember(hog, new MemoryUse(600L << 20, OptionalLong.of(4_321)));

            host.watchLimits(later(0), FULL);
            // The memory of others is watched all the same, and so is their disk.
            await(() -> {
                host.watchLimits(later(1), FULL);
                return !fake.ended().isEmpty();
            });
            assertThat(host.sandboxes().find("lab").status()).isEqualTo(Status.RUNNING);
            walk.countDown();

            await(() -> host.sandboxes().find("lab").status() == Status.DEFUNCT);
            assertThat(host.views().of("lab").lastError())
                    .hasValueSatisfying(why ->
                            assertThat(why).startsWith("stopped: the disk has only 1 MB left, and it wrote most"));
        }
    }

    /// What was written since the disk began to run short counts, also where the files were measured since.
    @Test
    void whoFilledTheDiskIsFoundAlthoughItsFilesWereMeasuredMeanwhile() throws Exception {
        FilesystemRoom near = new FilesystemRoom(100L << 30, 1L << 30, 1_000_000, 900_000);
        try (SandboxEngine host = fake.open()) {
            provision(host, "{\"name\":\"lab\",\"persistent\":true}");
            host.watchLimits(later(0), near);
            await(() -> {
                host.watchLimits(later(1), near);
                return host.views().of("lab").sizeBytes().isPresent();
            });
            fake.fill("lab", new LayerUse(64L << 20, 10));
            await(() -> {
                host.watchLimits(later(10), near);
                return host.views().of("lab").sizeBytes().equals(Optional.of(64L << 20));
            });

            host.watchLimits(later(11), FULL);

            await(() -> host.sandboxes().find("lab").status() == Status.DEFUNCT);
        }
    }

    @Test
    @Timeout(120)
    void aSearchForWhoHasMostFilesHoldsUpNobody() throws Exception {
        FilesystemRoom noFiles = new FilesystemRoom(100L << 30, 90L << 30, 1_000_000, 100);
        try (SandboxEngine host = fake.open()) {
            provision(host, "{\"name\":\"lab\",\"persistent\":true}");
            CountDownLatch walk = fake.delay("lab");
            fake.fill("lab", new LayerUse(1L << 20, 5_000));

            host.watchLimits(later(0), noFiles);
            host.watchLimits(later(0), noFiles);
            assertThat(host.sandboxes().find("lab").status()).isEqualTo(Status.RUNNING);
            walk.countDown();

            await(() -> host.sandboxes().find("lab").status() == Status.DEFUNCT);
            assertThat(host.views().of("lab").lastError())
                    .hasValueSatisfying(why -> assertThat(why)
                            .startsWith("stopped: the disk can take only 100 more files, and it has most"));
        }
    }

    /// Every look counts from the clock of the machine, and is a minute after the one before.
    private static long later(int look) {
        return System.nanoTime() / 1_000_000 + look * 60_000L;
    }
}
