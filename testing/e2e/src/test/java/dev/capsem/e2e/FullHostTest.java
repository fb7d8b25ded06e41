package dev.capsem.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.capsem.e2e.Installation.Reply;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/// A guest that fills the host is stopped or held; everybody else goes on, and its owner is told. All of it is small:
/// quotas of 64 MB, a disk of 400, memory of 256.
@Tag("e2e")
class FullHostTest {
    /// Each writes on, in small steps, long after it should have been stopped.
    private static final Map<String, String> FILLERS = Map.of(
            "bytes",
                    "i=0; while [ $i -lt 900 ]; do dd if=/dev/zero of=/root/fill.$i bs=1M count=1 2>/dev/null;"
                            + " sleep 0.05; i=$((i+1)); done; sleep 100",
            "system",
                    "i=0; while [ $i -lt 900 ]; do dd if=/dev/zero of=/var/lib/fill.$i bs=1M count=1 2>/dev/null;"
                            + " sleep 0.05; i=$((i+1)); done; sleep 100",
            "files", "i=0; while [ $i -lt 60000 ]; do : > /root/fill.$i; i=$((i+1)); done; sleep 100",
            "deleted",
                    "exec 5> /root/gone; rm /root/gone; i=0; while [ $i -lt 900 ]; do dd if=/dev/zero bs=1M count=1 >&5"
                            + " 2>/dev/null; sleep 0.05; i=$((i+1)); done; sleep 100");

    /// What the kernel counts, taken as far as it goes and held until the sandbox is deleted.
    private static final String HOG = """
            import os, select, socket, time
            held = []
            def take(what, one, most):
                for i in range(most):
                    try:
                        held.append(one())
                    except OSError as e:
                        print(what, 'ended after', i, flush=True)
                        return
                print(what, 'had', most, flush=True)
            import ctypes
            libc = ctypes.CDLL(None, use_errno=True)
            def inotify():
                if libc.inotify_init() < 0:
                    raise OSError('inotify')
            def child():
                pid = os.fork()
                if pid == 0:
                    time.sleep(600)
                    os._exit(0)
                return pid
            poll = select.epoll()
            def registration():
                fd = os.dup(pipe)
                poll.register(fd, select.EPOLLIN)
                return fd
            pipe = os.pipe()[0]
            take('inotify', inotify, 200)
            take('epoll', registration, 5000)
            take('sockets', socket.socketpair, 5000)
            take('descriptors', lambda: os.open('/dev/null', os.O_RDONLY), 100000)
            take('pids', child, 3000)
            time.sleep(600)
            """;

    /// Says what the kernel would say of a limit, and becomes the program, as the real one does.
    private static final String STAND_IN = """
            #!/bin/sh
            echo "$*" >> "$0.log"
            case "$*" in *MemoryMax=67108864*) echo 67108864; exit 0;; esac
            while [ "$1" != -- ]; do shift; done
            shift
            exec "$@"
            """;

    static List<Account> accounts() {
        return Account.available();
    }

    @ParameterizedTest
    @MethodSource("accounts")
    void whoPassesItsQuotaIsStoppedAndKept(Account account) throws Exception {
        try (Installation installation = small(account);
                ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor()) {
            installation.create("{\"name\":\"other\",\"persistent\":true}");
            Map<String, Future<Reply>> interrupted = new TreeMap<>();
            for (String what : FILLERS.keySet()) {
                installation.create("{\"name\":\"" + what + "\",\"persistent\":true}");
                installation.exec(what, "echo precious > kept");
                interrupted.put(what, callers.submit(() -> run(installation, what, FILLERS.get(what))));
            }

            for (String what : interrupted.keySet()) {
                String reason = what.equals("files")
                        ? "stopped: it has more than the 8192 files that go with a quota of 64 MB"
                        : "stopped: its files passed the quota of 64 MB";
                Reply reply = interrupted.get(what).get();
                assertThat(reply.status()).as("%s", reply.text()).isEqualTo(503);
                assertThat(reply.text()).contains("the sandbox " + what + " was " + reason);
                JsonNode told = untilStopped(installation, what);
                assertThat(told.path("last_error").asString()).startsWith(reason + "; set disk_mb above ");
                assertThat(told.path("disk_mb").asInt()).isEqualTo(64);
                assertThat(installation
                                .get("/files/" + what + "/content?path=kept")
                                .expect(200)
                                .text())
                        .isEqualTo("precious\n");
                assertThat(onRecord(installation, what)).containsExactly(reason);
                assertThat(installation
                                .get("/verify/" + what)
                                .expect(200)
                                .json()
                                .path("intact")
                                .asBoolean())
                        .isTrue();
            }
            assertThat(installation.exec("other", "echo alive").stdout()).isEqualTo("alive\n");
            assertThat(installation.capsem("list").stdout()).contains("stopped: it");
            assertThat(Files.readString(installation.home().resolve("run/service.log")))
                    .contains("sandbox.quota");
            aLargerQuotaLetsItGoOn(installation, "bytes");
        }
    }

    /// The way out that the message names.
    private static void aLargerQuotaLetsItGoOn(Installation installation, String id) throws IOException {
        Path profiles = Files.createDirectories(installation.home().resolve("profiles"));
        Files.writeString(
                profiles.resolve("coding.toml"),
                "schema = \"capsem.profile.v2\"\nid = \"coding\"\n[vm]\ndisk_mb = 2048\n");
        installation.handOver(profiles);

        installation.post("/reload-config", "{}").expect(200);
        installation.post("/resume/" + id, "{}").expect(200);

        assertThat(installation.exec(id, "sleep 15; cat kept").stdout()).isEqualTo("precious\n");
        assertThat(installation.get("/info/" + id).json().path("disk_mb").asInt())
                .isEqualTo(2_048);
    }

    /// Memory that no limit of a process counts, and all else that the kernel counts, up to what it gives.
    @ParameterizedTest
    @MethodSource("accounts")
    void whoTakesAllElseHarmsNobody(Account account) throws Exception {
        try (Installation installation = Installation.start(account)) {
            installation.create("{\"name\":\"lab\",\"persistent\":true,\"ram_mb\":256}");
            installation.create("{\"name\":\"other\",\"persistent\":true}");
            String memory = "python3 -c \"import os, time\nf = os.memfd_create('x')\n"
                    + "for i in range(1200):\n  os.write(f, bytes(1 << 20)); time.sleep(0.01)\nprint('all of it')\"";

            Reply ended = run(installation, "lab", memory);
            assertThat(ended.text()).doesNotContain("all of it");
            if (installation
                    .get("/status")
                    .json()
                    .path("abilities")
                    .path("memory_limit")
                    .asString()
                    .equals("watched")) {
                assertThat(Files.readString(installation.home().resolve("run/service.log")))
                        .contains("sandbox.memory");
            }
            installation.create("{\"name\":\"hog\",\"persistent\":true}");
            installation
                    .upload("/files/hog/content?path=hog.py", HOG.getBytes(StandardCharsets.UTF_8))
                    .expect(200);
            run(installation, "hog", "nohup python3 hog.py > said 2>&1 &");
            assertThat(eventually(() -> said(installation).contains("pids ")))
                    .as("%s", said(installation))
                    .isTrue();
            for (int i = 0; i < 5; i++) {
                assertThat(installation
                                .exec("other", "echo alive; (echo child) | cat; ls / > /dev/null")
                                .stdout())
                        .isEqualTo("alive\nchild\n");
            }
            assertThat(said(installation))
                    .contains("inotify ended after", "pids ended after", "descriptors ended after");
            assertThat(installation
                            .get("/verify/hog")
                            .expect(200)
                            .json()
                            .path("intact")
                            .asBoolean())
                    .isTrue();
            installation.delete("/delete/hog").expect(200);
        }
    }

    private static String said(Installation installation) {
        return installation.get("/files/hog/content?path=said").text();
    }

    /// On a disk of its own, with a quota that is larger than the disk.
    @Test
    void whoFillsTheDiskOfAllIsStoppedAndTheRecordGoesOn() throws IOException {
        assumeTrue(
                Account.available().contains(Account.ROOT)
                        && Files.exists(Path.of("/dev/loop-control"))
                        && Files.exists(Path.of("/usr/sbin/mkfs.ext4")),
                "only root mounts disks, and mkfs.ext4 makes one");
        Installation installation = Installation.prepare(Account.ROOT);
        Path run = Files.createDirectories(installation.home().resolve("run"));
        Path image = installation.home().resolve("disk.img");
        host("truncate", "-s", "400M", image.toString());
        host("mkfs.ext4", "-q", "-F", "-m", "0", image.toString());
        host("mount", "-o", "loop", image.toString(), run.toString());
        try {
            installation.capsem("service", "start");
            installation.create("{\"name\":\"lab\",\"persistent\":true}");
            installation.create("{\"name\":\"other\",\"persistent\":true}");

            Reply interrupted = run(installation, "lab", FILLERS.getOrDefault("bytes", ""));

            assertThat(interrupted.text()).contains("the sandbox lab was stopped: the disk has only");
            untilStopped(installation, "lab");
            assertThat(installation.exec("other", "echo alive").stdout()).isEqualTo("alive\n");
            assertThat(eventually(() -> recorded(installation, "other") == 1)).isTrue();

            // Somebody else on the host takes nearly all of the rest.
            Path filler = run.resolve("filler");
            long rest = Files.getFileStore(run).getUsableSpace() - (8 << 20);
            host("fallocate", "-l", Long.toString(rest), filler.toString());
            Reply refused = installation.post("/provision", "{}");
            assertThat(refused.status()).as("%s", refused.text()).isEqualTo(507);
            assertThat(refused.json().path("code").asString()).isEqualTo("disk_full");
            assertThat(installation.get("/status").json().path("problems").toString())
                    .contains("disk_full");
            Files.delete(filler);
            installation.delete("/delete/lab").expect(200);
            assertThat(eventually(() -> installation.post("/provision", "{}").status() == 200))
                    .isTrue();
        } finally {
            installation.capsem("purge", "--all", "-y");
            installation.capsem("service", "stop");
            host("umount", "-l", run.toString());
            installation.close();
        }
    }

    @Test
    void aUsersServiceManagerLimitsMemoryWhereThereIsOne() throws IOException {
        try (Installation plain = Installation.prepare(Account.USER)) {
            Path manager = Files.createDirectories(plain.home().resolve("manager"));
            Path program = Files.writeString(manager.resolve("systemd-run"), STAND_IN);
            host("chmod", "755", program.toString());
            plain.handOver(manager);
            Installation installation = plain.withSettings(
                    Map.of("PATH", manager + ":" + System.getenv("PATH"), "XDG_RUNTIME_DIR", manager.toString()));
            assertThat(installation.capsem("service", "start").exitCode()).isZero();
            String limit = installation
                    .get("/status")
                    .json()
                    .path("abilities")
                    .path("memory_limit")
                    .asString();
            assumeTrue(!limit.equals("cgroup"), "this host grants its users cgroups");

            String id = installation.create("{\"ram_mb\":256}");

            assertThat(limit).isEqualTo("scope");
            assertThat(installation.exec(id, "ulimit -d; env | grep -c XDG_").stdout())
                    .isEqualTo("unlimited\n0\n");
            assertThat(Files.readString(manager.resolve("systemd-run.log")))
                    .contains("-p MemoryMax=268435456 -p MemorySwapMax=0 -p TasksMax=1040 -- ");
        }
    }

    /// Why a limit stopped it, as its own record says.
    private static List<String> onRecord(Installation installation, String id) {
        String sql = "SELECT reason FROM security_events WHERE event_type = 'vm.stop'"
                + " AND process_operation = 'stopped_by_limit'";
        String body = Installation.JSON.createObjectNode().put("sql", sql).toString();
        JsonNode rows =
                installation.post("/inspect/" + id, body).expect(200).json().path("rows");
        return rows.valueStream().map(row -> row.path(0).asString()).toList();
    }

    private static Installation small(Account account) throws IOException {
        Installation installation = Installation.prepare(account);
        Path settings = installation.home().resolve("service.toml");
        Files.writeString(settings, "disk_mb = 64\n");
        installation.handOver(settings);
        assertThat(installation.capsem("service", "start").exitCode()).isZero();
        return installation;
    }

    private static Reply run(Installation installation, String id, String command) {
        ObjectNode body =
                Installation.JSON.createObjectNode().put("command", command).put("timeout_secs", 190);
        return installation.post("/exec/" + id, body.toString());
    }

    private static JsonNode untilStopped(Installation installation, String id) {
        assertThat(eventually(() -> !installation
                        .get("/info/" + id)
                        .expect(200)
                        .json()
                        .path("status")
                        .asString()
                        .equals("Running")))
                .isTrue();
        return installation.get("/info/" + id).json();
    }

    private static int recorded(Installation installation, String id) {
        return installation
                .get("/history/" + id + "?layer=exec")
                .expect(200)
                .json()
                .path("total")
                .asInt();
    }

    private static boolean eventually(BooleanSupplier done) {
        for (int attempt = 0; attempt < 300 && !done.getAsBoolean(); attempt++) {
            try {
                Thread.sleep(200);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return false;
            }
        }
        return done.getAsBoolean();
    }

    private static void host(String... argv) {
        Commands.Outcome outcome = Commands.run(List.of(argv), Map.of(), Path.of("/"), new byte[0]);
        assertThat(outcome.exitCode())
                .as("%s: %s", String.join(" ", argv), outcome.stderr())
                .isZero();
    }
}
