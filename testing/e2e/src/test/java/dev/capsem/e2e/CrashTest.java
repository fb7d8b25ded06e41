package dev.capsem.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.e2e.Installation.Reply;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// `kill -9` of the service, of a capsem-process and of an agent, at random moments: the service comes back, lists
/// the truth, and leaves nothing behind.
@Tag("e2e")
class CrashTest {
    private static final List<String> VICTIMS = List.of("service", "process", "agent");

    /// For each victim. Every gate kills at other moments, so that they add up.
    private static final int KILLS = 7;

    static List<Account> accounts() {
        return Account.available();
    }

    @ParameterizedTest
    @MethodSource("accounts")
    void killedProcessesLeaveTheTruth(Account account) throws Exception {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        List<String> victims = victims(account == Account.available().getLast() ? KILLS : 2, random);
        try (Installation installation = Installation.start(account)) {
            installation.create("{\"name\":\"keeper\",\"persistent\":true}");
            for (int round = 0; round < victims.size(); round++) {
                String victim = victims.get(round);
                String context = "seed " + seed + ", round " + round;
                append(installation, round, context);
                int committed = recorded(installation);
                Thread noise = Thread.ofVirtual().start(() -> quietly(installation));
                Thread.sleep(random.nextInt(60));
                Optional<Long> pid = pidOf(installation, victim);
                assertThat(pid).as("%s: pid of the %s", context, victim).isPresent();
                kill(pid.get());
                noise.join();

                awaitTruth(installation, context);
                assertThat(recorded(installation)).as(context).isGreaterThanOrEqualTo(committed);
            }
            append(installation, victims.size(), "seed " + seed);
            // A command whose answer was lost may have run all the same, and was repeated.
            assertThat(installation
                            .exec("keeper", "sort -u log | wc -l")
                            .stdout()
                            .trim())
                    .isEqualTo(Integer.toString(victims.size() + 1));
            assertThat(installation
                            .get("/verify/keeper")
                            .expect(200)
                            .json()
                            .path("intact")
                            .asBoolean())
                    .as("seed %s", seed)
                    .isTrue();

            assertThat(installation.capsem("purge", "--all", "-y").exitCode()).isZero();
            assertThat(installation.capsem("service", "stop").exitCode()).isZero();
            nothingIsLeft(installation, "seed " + seed);
        }
    }

    /// Each as often as the others, in an order of its own.
    private static List<String> victims(int kills, Random random) {
        List<String> all = new ArrayList<>();
        for (int i = 0; i < kills; i++) {
            all.addAll(VICTIMS);
        }
        Collections.shuffle(all, random);
        return all;
    }

    private static void quietly(Installation installation) {
        // May fail in any way: the victim may be what it needs.
        curl(
                installation,
                "-X",
                "POST",
                "-H",
                "content-type: application/json",
                "-d",
                "{\"command\":\"echo noise\"}",
                "http://capsem/exec/keeper");
    }

    private static int curl(Installation installation, String... arguments) {
        List<String> argv = new ArrayList<>(List.of(
                "curl",
                "-s",
                "--max-time",
                "5",
                "--unix-socket",
                installation.socket().toString()));
        argv.addAll(List.of(arguments));
        return Commands.run(argv, Map.of(), Path.of("/"), new byte[0]).exitCode();
    }

    /// Any command of the program brings a dead service back; one that answers needs none.
    private static void serve(Installation installation, String context) {
        if (curl(installation, "http://capsem/list") != 0) {
            assertThat(installation.capsem("list").exitCode()).as(context).isZero();
        }
    }

    /// Rows that a reader can see are committed: no crash may take them back.
    private static int recorded(Installation installation) {
        return installation
                .get("/history/keeper?limit=1&layer=exec")
                .expect(200)
                .json()
                .path("total")
                .asInt();
    }

    /// Runs a command that leaves a mark. A sandbox that dies meanwhile is told as such, never as success.
    private static void append(Installation installation, int round, String context) throws InterruptedException {
        String body = "{\"command\":\"echo " + round + " >> log\"}";
        for (int attempt = 0; ; attempt++) {
            ensureRunning(installation, context);
            Reply reply = installation.post("/exec/keeper", body);
            if (reply.status() == 200) {
                assertThat(reply.json().path("exit_code").asInt()).as(context).isZero();
                return;
            }
            assertThat(reply.status()).as("%s: %s", context, reply.text()).isIn(409, 503);
            assertThat(attempt).as("%s: %s", context, reply.text()).isLessThan(150);
            Thread.sleep(200);
        }
    }

    /// Starts the service if it is gone and brings the keeper back if it is down.
    private static void ensureRunning(Installation installation, String context) {
        serve(installation, context);
        // One that is just dying refuses; the next attempt finds it over.
        installation.post("/resume/keeper", "{}");
    }

    private static void awaitTruth(Installation installation, String context) throws InterruptedException {
        serve(installation, context);
        for (int attempt = 0; ; attempt++) {
            Reply reply = installation.get("/info/keeper").expect(200);
            String status = reply.json().path("status").asString();
            boolean alive = reply.json().path("pid").asLong() != 0
                    && ProcessHandle.of(reply.json().path("pid").asLong()).isPresent();
            boolean truth = status.equals("Running")
                    ? alive
                    : List.of("Defunct", "Stopped").contains(status);
            if (truth) {
                return;
            }
            assertThat(attempt)
                    .as("%s: status %s, alive %s", context, status, alive)
                    .isLessThan(600);
            Thread.sleep(100);
        }
    }

    private static Optional<Long> pidOf(Installation installation, String victim) {
        String needle = switch (victim) {
            case "service" -> "dev.capsem.daemon.ServiceMain";
            case "process" -> "dev.capsem.process.ProcessMain";
            default -> "capsem-agent";
        };
        List<Long> found = new ArrayList<>();
        for (long pid : installation.processes()) {
            if (commandLine(pid).contains(needle)) {
                found.add(pid);
            }
        }
        if (victim.equals("agent")) {
            long process = installation.get("/info/keeper").json().path("pid").asLong();
            return ProcessHandle.of(process).stream()
                    .flatMap(ProcessHandle::descendants)
                    .map(ProcessHandle::pid)
                    .reduce((first, last) -> last);
        }
        return found.stream().findFirst();
    }

    private static String commandLine(long pid) {
        try {
            return Files.readString(Path.of("/proc/" + pid + "/cmdline"), StandardCharsets.ISO_8859_1);
        } catch (IOException ended) {
            return "";
        }
    }

    private static void kill(long pid) {
        ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly);
    }

    private static void nothingIsLeft(Installation installation, String context) throws Exception {
        for (int attempt = 0; attempt < 300 && !installation.processes().isEmpty(); attempt++) {
            Thread.sleep(100);
        }
        assertThat(installation.processes()).as("%s: processes", context).isEmpty();
        assertThat(Files.readString(Path.of("/proc/self/mounts")))
                .as("%s: mounts", context)
                .doesNotContain(installation.home().toString());
        try (Stream<Path> files = Files.walk(installation.home().resolve("run"))) {
            assertThat(files.filter(file ->
                            file.toString().endsWith(".sock") || file.toString().endsWith(".ready")))
                    .as("%s: sockets", context)
                    .isEmpty();
        }
    }
}
