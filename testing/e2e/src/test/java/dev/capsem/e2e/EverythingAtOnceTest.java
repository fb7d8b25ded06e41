package dev.capsem.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.e2e.Installation.Reply;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.WatchService;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;

/// A guest that takes one thing after the other as far as it goes, keeps all of it, and fills its disk on top: the host
/// and its neighbour go on, what it sent is on record, and its owner learns why it was stopped.
@Tag("e2e")
class EverythingAtOnceTest {
    private static final String PROFILE = "everything";
    private static final int QUOTA_MB = 64;
    /// What the writers below can write in five seconds, less than a tenth of what they try.
    private static final int PASSED_MAX_MB = 256;

    private static final Duration ANSWER_MAX = Duration.ofSeconds(20);

    /// Every worker is forked before the first one begins, since there are no processes left later.
    private static final String HOG = """
            import ctypes, os, select, socket, sys, time
            libc = ctypes.CDLL(None, use_errno=True)
            held = []
            said = open('/root/said', 'a', buffering=1)
            def say(*words):
                print(*words, file=said)
            def take(what, one, most):
                for i in range(most):
                    try:
                        held.append(one())
                    except (OSError, MemoryError):
                        say(what, 'ended after', i)
                        return
                say(what, 'had', most)
            def inotify():
                if libc.inotify_init() < 0:
                    raise OSError('inotify')
            poll = select.epoll()
            end = os.pipe()[0]
            def registration():
                fd = os.dup(end)
                poll.register(fd, select.EPOLLIN)
                return fd
            def child():
                pid = os.fork()
                if pid == 0:
                    time.sleep(300)
                    os._exit(0)
                return pid
            def counts():
                take('inotify', inotify, 200)
                take('epoll', registration, 3000)
                take('sockets', socket.socketpair, 3000)
                take('descriptors', lambda: os.open('/dev/null', os.O_RDONLY), 100000)
            def memory():
                f = os.memfd_create('x')
                take('memory', lambda: os.write(f, bytes(1 << 20)) and time.sleep(0.004), 1500)
            def files():
                os.mkdir('/root/many')
                take('files', lambda: os.close(os.open('/root/many/%d' % len(held), os.O_CREAT | os.O_WRONLY)), 6000)
            def gone():
                f = os.open('/root/gone', os.O_CREAT | os.O_WRONLY)
                os.unlink('/root/gone')
                take('gone', lambda: os.write(f, bytes(1 << 20)) and time.sleep(0.04), 1500)
            def disk():
                f = os.open('/root/fill', os.O_CREAT | os.O_WRONLY)
                take('disk', lambda: os.write(f, bytes(1 << 20)) and time.sleep(0.04), 1500)
            workers = [(0, counts), (4, lambda: take('pids', child, 3000)), (8, memory), (10, files), (14, gone), (14, disk)]
            for after, work in workers:
                if os.fork() == 0:
                    time.sleep(after)
                    work()
                    time.sleep(300)
                    os._exit(0)
            time.sleep(300)
            """;

    private static final String SEND = "curl -s -m 60 --rate 100/s -o /dev/null 'https://{web}/text?n=sent-[1-20000]'";

    static List<Account> accounts() {
        return Account.available();
    }

    @ParameterizedTest
    @MethodSource("accounts")
    void whoeverElseIsThereGoesOn(Account account) throws Exception {
        try (World world = new World();
                NetSandbox hog = start(world, Installation.prepare(account));
                ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor()) {
            Installation installation = hog.installation();
            installation.create("{\"name\":\"other\",\"persistent\":true}");
            installation
                    .upload("/files/hog/content?path=hog.py", HOG.getBytes(StandardCharsets.UTF_8))
                    .expect(200);
            Future<Reply> sending = callers.submit(() -> exec(installation, world.command(SEND)));
            Future<Reply> taking = callers.submit(() -> exec(installation, "python3 hog.py"));

            while (isRunning(installation)) {
                assertTheRestGoesOn(installation);
            }

            taking.get();
            sending.get();
            assertTheOwnerIsTold(installation);
            assertWhatLeftIsOnRecord(world, hog);
            assertThat(megabytes(hog.directory())).isLessThan(QUOTA_MB + PASSED_MAX_MB);
            assertTheRestGoesOn(installation);
            String said =
                    installation.get("/files/hog/content?path=said").expect(200).text();
            assertThat(said).contains("inotify ended", "descriptors ended", "pids ended", "epoll ", "sockets ");
        }
    }

    private static NetSandbox start(World world, Installation installation) throws IOException {
        Path profiles = Files.createDirectories(installation.home().resolve("profiles"));
        String limits = "[vm]\ndisk_mb = " + QUOTA_MB + "\nram_mb = 512\n";
        Files.writeString(
                profiles.resolve(PROFILE + ".toml"),
                world.profile("").replace("id = \"" + World.PROFILE + "\"", "id = \"" + PROFILE + "\"") + limits);
        installation.handOver(profiles);
        return NetSandbox.start(installation, PROFILE, "hog");
    }

    private static Reply exec(Installation installation, String command) {
        var body = Installation.JSON.createObjectNode().put("command", command).put("timeout_secs", 100);
        return installation.post("/exec/hog", body.toString());
    }

    private static boolean isRunning(Installation installation) {
        return installation
                .get("/info/hog")
                .expect(200)
                .json()
                .path("status")
                .asString()
                .equals("Running");
    }

    private static void assertTheRestGoesOn(Installation installation) throws IOException {
        long began = System.nanoTime();
        assertThat(installation.exec("other", "echo alive; (echo child) | cat").stdout())
                .isEqualTo("alive\nchild\n");
        assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(ANSWER_MAX);
        // The kernel counts these for the user of this test as well.
        try (WatchService watch = Path.of("/").getFileSystem().newWatchService()) {
            assertThat(watch).isNotNull();
        }
    }

    private static void assertTheOwnerIsTold(Installation installation) {
        JsonNode info = installation.get("/info/hog").expect(200).json();
        assertThat(info.path("last_error").asString()).startsWith("stopped: it");
        assertThat(installation.capsem("list").stdout()).contains("stopped: it");
        assertThat(installation.capsem("verify", "hog").stdout()).contains("unbroken");
    }

    /// Each request that arrived has a row.
    private static void assertWhatLeftIsOnRecord(World world, NetSandbox hog) {
        Set<String> left = world.web().received().stream()
                .map(request -> request.target())
                .filter(target -> target.contains("n=sent-"))
                .map(target -> target.substring(target.indexOf('?') + 1))
                .collect(Collectors.toSet());
        Set<String> recorded = hog.rows("SELECT query FROM net_events WHERE query GLOB 'n=sent-*'").stream()
                .map(row -> row.text("query"))
                .collect(Collectors.toSet());
        assertThat(left).hasSizeGreaterThan(50);
        assertThat(recorded).containsAll(left);
        assertThat(hog.rows("SELECT * FROM security_events WHERE process_operation = 'stopped_by_limit'"))
                .hasSize(1);
    }

    private static long megabytes(Path directory) {
        Commands.Outcome outcome =
                Commands.run(List.of("du", "-sm", directory.toString()), Map.of(), Path.of("/"), new byte[0]);
        return Long.parseLong(outcome.stdout().split("\t", 2)[0]);
    }
}
