package dev.capsem.service.sandboxes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.capsem.sandbox.HostProblem;
import dev.capsem.service.FakeHost;
import dev.capsem.service.SandboxEngine;
import dev.capsem.service.limits.ServiceSettings;
import dev.capsem.service.problem.ServiceProblem;
import dev.capsem.service.table.Sandbox;
import dev.capsem.service.table.SessionLedger;
import dev.capsem.service.table.Status;
import dev.capsem.wire.io.TaskScope;
import dev.capsem.wire.ipc.ServiceMessage;
import dev.capsem.wire.json.Json;
import dev.capsem.wire.service.ExecEvent;
import dev.capsem.wire.service.ExecReply;
import dev.capsem.wire.service.ExecRequest;
import dev.capsem.wire.service.ProvisionRequest;
import dev.capsem.wire.service.SandboxSummary;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A sandbox's life as the service sees it, with processes that answer in memory.
class SandboxesTest {
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

    private static ServiceProblem refused(ServiceProblem.Code code, ThrowingCallable asking) {
        ServiceProblem[] caught = new ServiceProblem[1];
        assertThatThrownBy(asking).isInstanceOfSatisfying(ServiceProblem.class, refusal -> {
            assertThat(refusal.code()).isEqualTo(code);
            caught[0] = refusal;
        });
        return caught[0];
    }

    private List<String> filesBelow(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }

    @Test
    void temporarySandboxLivesAndLeavesNothing() throws IOException {
        try (SandboxEngine host = fake.open()) {
            Sandbox sandbox = provision(host, "{}");

            assertThat(sandbox.id().value()).endsWith("-tmp");
            assertThat(host.sandboxes().find(sandbox.id().value()).status()).isEqualTo(Status.RUNNING);
            assertThat(sandbox.facts().sessionDir().resolve("spec.json")).exists();
            assertThat(host.sandboxes().stop(sandbox.id().value())).isFalse();
            refused(
                    ServiceProblem.Code.SANDBOX_NOT_FOUND,
                    () -> host.sandboxes().find(sandbox.id().value()));
        }
        assertThat(filesBelow(fake.layout().sessionsDir())).isEmpty();
        assertThat(filesBelow(fake.layout().instancesDir())).isEmpty();
        assertThat(filesBelow(fake.layout().runDir().resolve("ports"))).isEmpty();
        assertThat(fake.ledger()).hasSize(2).last().asString().endsWith("STOPPED");
    }

    @Test
    void refusedRequestsChangeNothing() throws IOException {
        try (SandboxEngine host = fake.open()) {
            provision(host, "{\"name\":\"lab\",\"persistent\":true}");

            refused(ServiceProblem.Code.NAME_TAKEN, () -> provision(host, "{\"name\":\"lab\"}"));
            refused(ServiceProblem.Code.BAD_NAME, () -> provision(host, "{\"name\":\"a b\"}"));
            refused(ServiceProblem.Code.BAD_LIMIT, () -> provision(host, "{\"cpus\":9}"));
            refused(ServiceProblem.Code.BAD_ENVIRONMENT, () -> provision(host, "{\"env\":{\"LD_PRELOAD\":\"x\"}}"));
            refused(ServiceProblem.Code.SANDBOX_NOT_FOUND, () -> provision(host, "{\"from\":\"nobody\"}"));
            refused(ServiceProblem.Code.BAD_PROFILE, () -> provision(host, "{\"profile_id\":\"../x\"}"));

            assertThat(host.sandboxes().all()).hasSize(1);
            assertThat(filesBelow(fake.layout().sessionsDir())).isEmpty();
            assertThat(filesBelow(fake.layout().persistentDir())).containsExactly("lab");
            assertThat(fake.ledger()).hasSize(1);
        }
    }

    @Test
    void aListSaysWhatRanLastAndHowManyChangesThereAre(@TempDir Path project) throws IOException {
        Files.writeString(project.resolve("a.txt"), "a");
        try (SandboxEngine host = fake.open()) {
            Sandbox sandbox = provision(
                    host, "{\"name\":\"lab\",\"persistent\":true,\"project\":{\"source\":\"" + project + "\"}}");
            assertThat(listed(host).lastCommand()).isEmpty();
            assertThat(changes(host)).isEqualTo(0);

            host.commands().exec("lab", ExecRequest.shell("make test"));
            Path copy = Files.createDirectories(sandbox.facts().sessionDir().resolve("up/project"));
            Files.writeString(copy.resolve("new.txt"), "n");

            assertThat(listed(host).lastCommand()).contains("make test");
            assertThat(changes(host)).isEqualTo(1);
            host.sandboxes().stop("lab");
            assertThat(changes(host)).isEqualTo(1);
            assertThat(listed(host).lastCommand()).contains("make test");
            host.sandboxes().resume("lab");
            Files.writeString(copy.resolve("more.txt"), "m");
            host.sandboxes().stop("lab");
            assertThat(changes(host)).isEqualTo(2);
        }
        try (SandboxEngine later = fake.open()) {
            assertThat(listed(later).lastCommand()).contains("make test");
            assertThat(changes(later)).isEqualTo(2);
        }
    }

    /// A list does not wait for a slow count: the next one has it.
    private static int changes(SandboxEngine host) {
        long deadline = System.nanoTime() + Duration.ofMinutes(1).toNanos();
        while (true) {
            Optional<Integer> counted = listed(host).changes();
            if (counted.isPresent()) {
                return counted.get();
            }
            assertThat(System.nanoTime()).isLessThan(deadline);
        }
    }

    private static SandboxSummary listed(SandboxEngine host) {
        return host.views().all().getFirst();
    }

    @Test
    void aboveTheLimitTheAnswerIsToComeBackLater() {
        try (SandboxEngine host = fake.open()) {
            for (int i = 0; i < 4; i++) {
                provision(host, "{}");
            }

            ServiceProblem refusal = refused(ServiceProblem.Code.TOO_MANY_SANDBOXES, () -> provision(host, "{}"));

            assertThat(refusal.remedy()).isNotBlank();
            host.sandboxes().purge(false);
            assertThat(provision(host, "{}").status()).isEqualTo(Status.RUNNING);
        }
    }

    @Test
    void manyAtOnceAllStartButNeverMoreThanTwoProcessesTogether() throws InterruptedException, ExecutionException {
        try (SandboxEngine host = fake.open(new ServiceSettings(32, 1, 2, 2_048, 2, 16_384, 512), "boot-1");
                TaskScope scope = new TaskScope("test", (_, _) -> {})) {
            host.warmUp();
            List<Future<Sandbox>> started = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                started.add(scope.fork(() -> provision(host, "{}")));
            }
            List<String> ids = new ArrayList<>();
            for (Future<Sandbox> one : started) {
                ids.add(one.get().id().value());
            }

            assertThat(ids).hasSize(20).doesNotHaveDuplicates();
            assertThat(fake.processes().startedAtOnceMost()).isBetween(1, 2);
        }
    }

    @Test
    void closingEndsSparesAndLeavesSandboxesAlone() {
        try (SandboxEngine host = fake.open(new ServiceSettings(32, 2, 2, 2_048, 2, 16_384, 512), "boot-1")) {
            provision(host, "{}");
            host.warmUp();
        }

        assertThat(fake.processes().living()).isEqualTo(1);
    }

    @Test
    void hostThatLacksSomethingSaysSoBeforeAnythingExists() throws IOException {
        fake.lack(new HostProblem("BWRAP_MISSING", "bubblewrap is not installed", "install it"));
        try (SandboxEngine host = fake.open()) {
            ServiceProblem refusal = refused(ServiceProblem.Code.HOST_PROBLEM, () -> provision(host, "{}"));

            assertThat(refusal.remedy()).isEqualTo("install it");
            assertThat(filesBelow(fake.layout().sessionsDir())).isEmpty();
        }
    }

    @Test
    void failedStartTellsWhyAndKeepsOnlyItsLogs() throws IOException {
        fake.processes().failStarts("the agent did not answer");
        try (SandboxEngine host = fake.open()) {
            ServiceProblem refusal = refused(
                    ServiceProblem.Code.START_FAILED, () -> provision(host, "{\"name\":\"lab\",\"persistent\":true}"));

            assertThat(refusal.getMessage()).contains("the agent did not answer");
            assertThat(refusal.remedy()).isEqualTo("mend it");
            assertThat(host.sandboxes().all()).isEmpty();
            assertThat(host.sandboxes().logsOf("lab")).exists();
        }
        assertThat(fake.registry().all()).isEmpty();
        assertThat(fake.processes().living()).isZero();
        assertThat(filesBelow(fake.layout().persistentDir())).isEmpty();
        assertThat(filesBelow(fake.layout().sessionsDir()))
                .hasSize(1)
                .first()
                .asString()
                .startsWith("lab-failed-");
        assertThat(filesBelow(fake.layout().instancesDir())).isEmpty();
    }

    @Test
    void commandsAreAnsweredWholeOrAsAStream() {
        try (SandboxEngine host = fake.open()) {
            String id = provision(host, "{}").id().value();
            List<ExecEvent> events = new ArrayList<>();

            ExecReply reply = host.commands().exec(id, ExecRequest.shell("ls"));
            host.commands().stream(id, ExecRequest.shell("ls").withStdin(new byte[] {1}), events::add);

            assertThat(reply.stdout()).isEqualTo("ls\n");
            assertThat(reply.stderr()).isEqualTo("e");
            assertThat(reply.exitCode()).isEqualTo(3);
            assertThat(reply.truncated()).isFalse();
            assertThat(events)
                    .extracting(event -> event.getClass().getSimpleName())
                    .containsExactly("Started", "Stdout", "Stderr", "Exited");
        }
    }

    @Test
    void persistentSandboxCanBeStoppedAndStartedAgain() {
        try (SandboxEngine host = fake.open()) {
            provision(host, "{\"name\":\"lab\",\"persistent\":true,\"env\":{\"A\":\"b\"},\"ram_mb\":512}");
            assertThat(host.sandboxes().stop("lab")).isTrue();
            assertThat(host.sandboxes().find("lab").status()).isEqualTo(Status.STOPPED);
            refused(ServiceProblem.Code.NOT_RUNNING, () -> host.commands().exec("lab", ExecRequest.shell("x")));
            refused(ServiceProblem.Code.NOT_RUNNING, () -> host.sandboxes().stop("lab"));
        }
        try (SandboxEngine host = fake.open()) {
            Sandboxes.Provisioned again = host.sandboxes().resume("lab");

            assertThat(again.mode()).isEqualTo("cold");
            assertThat(again.sandbox().facts().environment()).containsEntry("A", "b");
            assertThat(again.sandbox().facts().limits().memoryMb()).isEqualTo(512);
            assertThat(host.sandboxes().resume("lab").mode()).isEqualTo("running");
        }
        assertThat(fake.ledger()).contains("resumed lab");
    }

    @Test
    void suspendedSandboxStaysSuspendedAcrossServices() {
        try (SandboxEngine host = fake.open()) {
            provision(host, "{\"name\":\"lab\",\"persistent\":true}");
            assertThat(host.sandboxes().suspend("lab")).isEqualTo("freeze");
            refused(ServiceProblem.Code.SUSPENDED, () -> host.commands().exec("lab", ExecRequest.shell("x")));
            String temporary = provision(host, "{}").id().value();
            refused(ServiceProblem.Code.NOT_PERSISTENT, () -> host.sandboxes().suspend(temporary));
        }
        try (SandboxEngine host = fake.open()) {
            assertThat(host.sandboxes().find("lab").status()).isEqualTo(Status.SUSPENDED);
            assertThat(host.sandboxes().resume("lab").mode()).isEqualTo("thaw");
            assertThat(host.commands().exec("lab", ExecRequest.shell("x")).exitCode())
                    .isEqualTo(3);
        }
    }

    @Test
    void persistMovesASandboxToItsNewNameWhileItRuns() {
        try (SandboxEngine host = fake.open()) {
            String id = provision(host, "{}").id().value();
            provision(host, "{\"name\":\"taken\",\"persistent\":true}");
            refused(ServiceProblem.Code.NAME_TAKEN, () -> host.sandboxes().persist(id, "taken"));
            refused(ServiceProblem.Code.BAD_NAME, () -> host.sandboxes().persist(id, ""));

            Sandbox kept = host.sandboxes().persist(id, "kept");

            assertThat(kept.persistent()).isTrue();
            assertThat(kept.facts().sessionDir()).isDirectory().hasFileName("kept");
            refused(
                    ServiceProblem.Code.SANDBOX_NOT_FOUND,
                    () -> host.sandboxes().find(id));
            refused(
                    ServiceProblem.Code.ALREADY_PERSISTENT,
                    () -> host.sandboxes().persist("kept", "again"));
            assertThat(host.commands().exec("kept", ExecRequest.shell("x")).exitCode())
                    .isEqualTo(3);
        }
        try (SandboxEngine host = fake.open()) {
            assertThat(host.sandboxes().find("kept").status()).isEqualTo(Status.RUNNING);
        }
        assertThat(fake.ledger()).contains("renamed to kept");
    }

    @Test
    void forkHoldsItsSourceStillAndIsStopped() throws IOException {
        try (SandboxEngine host = fake.open()) {
            Sandbox source = provision(host, "{\"env\":{\"A\":\"b\"}}");
            Path workspace = Files.createDirectory(source.facts().sessionDir().resolve("workspace"));
            Files.writeString(workspace.resolve("file"), "one");

            SessionCopier.Forked forked = host.sandboxes().fork(source.id().value(), "twin", Optional.of("a copy"));

            assertThat(forked.sizeBytes()).isEqualTo(123);
            Sandbox twin = host.sandboxes().find("twin");
            assertThat(twin.status()).isEqualTo(Status.STOPPED);
            assertThat(twin.facts().forkedFrom()).contains(source.id().value());
            assertThat(twin.facts().environment()).containsEntry("A", "b");
            assertThat(twin.facts().sessionDir().resolve("workspace/file")).hasContent("one");
            assertThat(fake.processes().received())
                    .containsSubsequence(new ServiceMessage.HoldStill(), new ServiceMessage.Release());
            refused(
                    ServiceProblem.Code.NAME_TAKEN,
                    () -> host.sandboxes().fork(source.id().value(), "twin", Optional.empty()));
        }
    }

    @Test
    void newSandboxCanStartFromAPersistentOne() throws IOException {
        try (SandboxEngine host = fake.open()) {
            Sandbox lab = provision(host, "{\"name\":\"lab\",\"persistent\":true}");
            Path workspace = Files.createDirectory(lab.facts().sessionDir().resolve("workspace"));
            Files.writeString(workspace.resolve("file"), "one");
            String temporary = provision(host, "{}").id().value();

            Sandbox copy = provision(host, "{\"from\":\"lab\"}");

            assertThat(copy.facts().sessionDir().resolve("workspace/file")).hasContent("one");
            refused(ServiceProblem.Code.NOT_PERSISTENT, () -> provision(host, "{\"image\":\"" + temporary + "\"}"));
        }
    }

    @Test
    void purgeTakesTheTemporaryOnesOrAll() {
        try (SandboxEngine host = fake.open()) {
            provision(host, "{}");
            provision(host, "{}");
            provision(host, "{\"name\":\"stay\",\"persistent\":true}");

            assertThat(host.sandboxes().purge(false)).isEqualTo(new Sandboxes.Purged(0, 2));
            assertThat(host.sandboxes().all()).extracting(Sandbox::persistent).containsExactly(true);
            assertThat(host.sandboxes().purge(true)).isEqualTo(new Sandboxes.Purged(1, 0));
            assertThat(host.sandboxes().all()).isEmpty();
        }
        assertThat(fake.registry().all()).isEmpty();
    }

    @Test
    void deadProcessMakesThePersistentDefunctAndTheTemporaryAKeptDirectory() throws IOException {
        try (SandboxEngine host = fake.open()) {
            Sandbox lab = provision(host, "{\"name\":\"lab\",\"persistent\":true}");
            Sandbox temporary = provision(host, "{}");
            Files.writeString(lab.facts().sessionDir().resolve("process.log"), "first\nthe last words\n");

            fake.processes().kill(lab.instance().orElseThrow().pid());
            fake.processes().kill(temporary.instance().orElseThrow().pid());
            host.views().all();

            Sandbox defunct = host.sandboxes().find("lab");
            assertThat(defunct.status()).isEqualTo(Status.DEFUNCT);
            assertThat(defunct.facts().lastError().orElseThrow()).endsWith("the last words");
            refused(
                    ServiceProblem.Code.SANDBOX_NOT_FOUND,
                    () -> host.sandboxes().find(temporary.id().value()));
            assertThat(fake.cleaned()).hasSize(2);
            assertThat(host.sandboxes().resume("lab").mode()).isEqualTo("cold");
        }
        assertThat(fake.ledger()).filteredOn(line -> line.endsWith("CRASHED")).hasSize(2);
        assertThat(filesBelow(fake.layout().sessionsDir()))
                .hasSize(1)
                .first()
                .asString()
                .contains("-tmp-failed-");
    }

    @Test
    void callerOfADyingSandboxLearnsIt() {
        try (SandboxEngine host = fake.open()) {
            Sandbox lab = provision(host, "{\"name\":\"lab\",\"persistent\":true}");
            fake.processes().kill(lab.instance().orElseThrow().pid());

            assertThatThrownBy(() -> host.commands().exec("lab", ExecRequest.shell("x")))
                    .isInstanceOf(ServiceProblem.class);

            assertThat(host.sandboxes().resume("lab").sandbox().status()).isEqualTo(Status.RUNNING);
        }
    }

    @Test
    void nextServiceAdoptsTheLivingAndBuriesTheDead() throws IOException {
        Sandbox living;
        Sandbox dead;
        try (SandboxEngine host = fake.open()) {
            living = provision(host, "{\"env\":{\"A\":\"b\"}}");
            dead = provision(host, "{}");
        }
        fake.processes().kill(dead.instance().orElseThrow().pid());
        Files.createDirectory(fake.layout().sessionsDir().resolve("half-made"));

        try (SandboxEngine host = fake.open()) {
            Sandbox adopted = host.sandboxes().find(living.id().value());
            assertThat(adopted.status()).isEqualTo(Status.RUNNING);
            assertThat(adopted.facts().environment()).containsEntry("A", "b");
            assertThat(host.commands()
                            .exec(living.id().value(), ExecRequest.shell("x"))
                            .exitCode())
                    .isEqualTo(3);
            assertThat(host.sandboxes().all()).hasSize(1);
        }
        assertThat(fake.ledger()).contains("ended " + dead.id() + " CRASHED");
        assertThat(filesBelow(fake.layout().sessionsDir()))
                .hasSize(3)
                .anyMatch(name -> name.startsWith("half-made-failed-"))
                .anyMatch(name -> name.startsWith(dead.id() + "-failed-"));
        assertThat(filesBelow(fake.layout().instancesDir())).containsExactly(living.id() + ".sock");
    }

    @Test
    void afterARebootAPersistentSandboxIsStoppedNotDefunct() {
        Sandbox lab;
        try (SandboxEngine host = fake.open()) {
            lab = provision(host, "{\"name\":\"lab\",\"persistent\":true}");
            host.sandboxes().suspend("lab");
        }
        fake.processes().kill(lab.instance().orElseThrow().pid());

        try (SandboxEngine host = fake.open(new ServiceSettings(4, 0, 2, 2_048, 2, 16_384, 512), "boot-2")) {
            assertThat(host.sandboxes().find("lab").status()).isEqualTo(Status.STOPPED);
            assertThat(host.sandboxes().resume("lab").mode()).isEqualTo("cold");
        }
    }

    @Test
    void sparesOfADeadServiceAreTakenOver() {
        ServiceSettings oneSpare = new ServiceSettings(4, 1, 2, 2_048, 2, 16_384, 512);
        fake.processes().start(fake.layout().instancesDir().resolve("spare-old.sock"), home.resolve("log"));

        try (SandboxEngine host = fake.open(oneSpare, "boot-1")) {
            assertThat(host.sparesReady()).isEqualTo(1);
            assertThat(host.sandboxes()
                            .provision(ProvisionRequest.temporary(), SessionLedger.Mode.TEMPORARY, Optional.empty())
                            .mode())
                    .isEqualTo("warm");
        }
    }
}
