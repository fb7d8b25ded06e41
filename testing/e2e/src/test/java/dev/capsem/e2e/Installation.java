package dev.capsem.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.e2e.Commands.Outcome;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/// A home of its own with the built programs, as root or as an ordinary user. Requests go through curl, so that the
/// API is tested with a client nobody here wrote.
final class Installation implements AutoCloseable {
    static final ObjectMapper JSON = new JsonMapper();

    private static final Path DIST = Path.of(System.getProperty("capsem.dist", "../../dist"))
            .toAbsolutePath()
            .normalize();

    private static final Map<Account, Path> TEMPLATES = new ConcurrentHashMap<>();
    private static final Map<Account, Installation> SHARED = new ConcurrentHashMap<>();

    private final Account account;
    private final Path root;
    private final Path dist;
    private final Map<String, String> settings;

    /// Written before anybody else sees it.
    private boolean isShared;

    private Installation(Account account, Path root, Path dist, Map<String, String> settings) {
        this.account = account;
        this.root = root;
        this.dist = dist;
        this.settings = settings;
    }

    /// A fresh home with a running service.
    static Installation start(Account account) {
        Installation installation = prepare(account);
        assertThat(installation.capsem("service", "start"))
                .satisfies(outcome -> assertThat(outcome.exitCode())
                        .as("%s%s", outcome.stdout(), outcome.stderr())
                        .isZero());
        return installation;
    }

    /// A running service for the tests of this JVM, one after the other, whatever their class. Closing it takes the
    /// sandboxes and the user's files away; the service ends with the JVM.
    static Installation shared(Account account) {
        return SHARED.computeIfAbsent(account, owner -> {
            Installation installation = start(owner);
            installation.isShared = true;
            Runtime.getRuntime().addShutdownHook(Thread.ofPlatform().unstarted(installation::beginToEnd));
            return installation;
        });
    }

    /// A fresh home; nothing runs yet.
    static Installation prepare(Account account) {
        try {
            assertThat(DIST.resolve("bin/capsem"))
                    .as("built programs; run ./capsem build")
                    .exists();
            Path root = Files.createTempDirectory(
                    Path.of("/tmp"),
                    "cse2e",
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwxr-xr-x")));
            Path dist = DIST;
            if (account.isForeign() && !isReadableBy(account, DIST)) {
                dist = root.resolve("dist");
                check(Commands.run(List.of("cp", "-a", DIST.toString(), dist.toString()), Map.of(), root, new byte[0]));
            }
            Installation installation = new Installation(account, root, dist, Map.of());
            Files.createDirectories(installation.home());
            Files.createDirectories(installation.userDirectory());
            Files.createSymbolicLink(installation.home().resolve("template"), sharedTemplate(account));
            installation.handOver(root);
            return installation;
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    /// The base template is the same for every home of an account; making it anew for each test would only cost time.
    private static Path sharedTemplate(Account account) {
        return TEMPLATES.computeIfAbsent(account, owner -> {
            try {
                Path directory = Files.createTempDirectory(Path.of("/tmp"), "cse2e-template");
                if (owner.isForeign()) {
                    String id = Account.USER_ID + ":" + Account.USER_ID;
                    check(Commands.run(
                            List.of("chown", id, directory.toString()), Map.of(), Path.of("/tmp"), new byte[0]));
                }
                Runtime.getRuntime().addShutdownHook(Thread.ofPlatform().unstarted(() -> beginToRemove(directory)));
                return directory;
            } catch (IOException failed) {
                throw new UncheckedIOException(failed);
            }
        });
    }

    /// The same home with other programs.
    Installation withDist(Path other) {
        return new Installation(account, root, other, settings);
    }

    /// The same with these variables in the environment of its programs.
    Installation withSettings(Map<String, String> more) {
        return new Installation(account, root, dist, more);
    }

    /// A copy of the programs that a test may change; without start-up caches, which know their place.
    Path copyOfPrograms() {
        Path copy = root.resolve("programs");
        check(Commands.run(List.of("cp", "-a", dist.toString(), copy.toString()), Map.of(), root, new byte[0]));
        check(Commands.run(List.of("rm", "-rf", copy.resolve("aot").toString()), Map.of(), root, new byte[0]));
        return copy;
    }

    /// Where the session of a persistent sandbox is.
    Path persistent(String name) {
        return home().resolve("run/persistent").resolve(name);
    }

    /// Nobody waits for it: thousands of files take a busy disk longer than the test runner waits for its last words.
    private static void beginToRemove(Path directory) {
        try {
            new ProcessBuilder("rm", "-rf", directory.toString()).start();
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    Account account() {
        return account;
    }

    Path home() {
        return root.resolve("home");
    }

    /// The user's own files: a place for projects and for secrets that no sandbox may see.
    Path userDirectory() {
        return root.resolve("user");
    }

    Path socket() {
        return home().resolve("run/service.sock");
    }

    /// Makes what a test wrote belong to the account.
    void handOver(Path path) {
        if (account.isForeign()) {
            String owner = Account.USER_ID + ":" + Account.USER_ID;
            check(Commands.run(List.of("chown", "-R", "-h", owner, path.toString()), Map.of(), root, new byte[0]));
        }
    }

    /// One of the built programs.
    Path program(String name) {
        return dist.resolve("bin").resolve(name);
    }

    Outcome capsem(String... arguments) {
        return capsem(new byte[0], userDirectory(), arguments);
    }

    Outcome capsem(byte[] stdin, Path directory, String... arguments) {
        List<String> argv = new ArrayList<>();
        argv.add(dist.resolve("bin/capsem").toString());
        argv.addAll(List.of(arguments));
        return Commands.run(account.command(argv), environment(), directory, stdin);
    }

    /// Starts the program and leaves it running; whoever started it ends it.
    Process begin(String... arguments) throws IOException {
        List<String> argv = new ArrayList<>();
        argv.add(dist.resolve("bin/capsem").toString());
        argv.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(account.command(argv))
                .directory(userDirectory().toFile());
        builder.environment().putAll(environment());
        return builder.start();
    }

    Map<String, String> environment() {
        Map<String, String> environment = new HashMap<>(settings);
        environment.put("CAPSEM_HOME", home().toString());
        environment.put("HOME", userDirectory().toString());
        return environment;
    }

    record Reply(int status, byte[] body) {
        String text() {
            return new String(body, StandardCharsets.UTF_8);
        }

        JsonNode json() {
            return JSON.readTree(body);
        }

        Reply expect(int expected) {
            assertThat(status).as("%s", text()).isEqualTo(expected);
            return this;
        }
    }

    Reply get(String path) {
        return request("GET", path, Optional.empty());
    }

    Reply delete(String path) {
        return request("DELETE", path, Optional.empty());
    }

    Reply post(String path, String json) {
        return request(
                "POST", path, Optional.of(json.getBytes(StandardCharsets.UTF_8)), "content-type: application/json");
    }

    Reply upload(String path, byte[] bytes) {
        return request("POST", path, Optional.of(bytes), "content-type: application/octet-stream");
    }

    Reply request(String method, String path, Optional<byte[]> body, String... headers) {
        List<String> argv = new ArrayList<>(List.of(
                "curl", "-sS", "--globoff", "--path-as-is", "--max-time", "200", "--unix-socket", socket().toString()));
        argv.addAll(List.of("-X", method, "-w", "\n%{http_code}", "http://capsem" + path));
        for (String header : headers) {
            argv.addAll(List.of("-H", header));
        }
        argv.addAll(List.of("-H", "expect:"));
        body.ifPresent(bytes -> argv.addAll(List.of("--data-binary", "@-")));
        Outcome outcome = Commands.run(argv, Map.of(), root, body.orElse(new byte[0]));
        assertThat(outcome.exitCode())
                .as("curl %s %s: %s", method, path, outcome.stderr())
                .isZero();
        byte[] all = outcome.stdoutBytes();
        int end = all.length - 4;
        return new Reply(
                Integer.parseInt(new String(all, end + 1, 3, StandardCharsets.US_ASCII)),
                java.util.Arrays.copyOf(all, end));
    }

    /// A temporary sandbox; its id.
    String create() {
        return create("{}");
    }

    String create(String json) {
        return post("/provision", json).expect(200).json().path("id").asString();
    }

    record Executed(int exitCode, String stdout, String stderr, JsonNode json) {}

    Executed exec(String id, String command) {
        ObjectNode body = JSON.createObjectNode().put("command", command).put("timeout_secs", 150);
        JsonNode reply = post("/exec/" + id, body.toString()).expect(200).json();
        return new Executed(
                reply.path("exit_code").asInt(),
                reply.path("stdout").asString(),
                reply.path("stderr").asString(),
                reply);
    }

    /// Pids of all processes that belong to this home, by their environment or command line.
    List<Long> processes() {
        String needle = root.toString();
        List<Long> pids = new ArrayList<>();
        ProcessHandle.allProcesses().forEach(process -> {
            try {
                String line =
                        Files.readString(Path.of("/proc/" + process.pid() + "/cmdline"), StandardCharsets.ISO_8859_1);
                if (line.contains(needle)) {
                    pids.add(process.pid());
                }
            } catch (IOException | UncheckedIOException gone) {
                // It ended while we looked.
            }
        });
        return pids;
    }

    /// Stops the service and everything it started; leaves nothing behind. Of a shared one the service stays.
    @Override
    public void close() {
        if (isShared) {
            post("/purge", "{\"all\":true}").expect(200);
            removeTree(userDirectory());
            check(Commands.run(
                    account.command(List.of("mkdir", userDirectory().toString())), Map.of(), root, new byte[0]));
        } else {
            end();
        }
    }

    /// As [#end], but nobody waits for it: a JVM's last words may take a few seconds only.
    private void beginToEnd() {
        String script = "\"$1\" purge --all -y; \"$1\" service stop; chmod -R u+rwX \"$2\"; rm -rf \"$2\"";
        List<String> argv = List.of("sh", "-c", script, "end", program("capsem").toString(), root.toString());
        ProcessBuilder builder = new ProcessBuilder(account.command(argv))
                .directory(Path.of("/tmp").toFile())
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.DISCARD);
        builder.environment().putAll(environment());
        try {
            builder.start();
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    private void end() {
        capsem("purge", "--all", "-y");
        capsem("service", "stop");
        removeTree(root);
    }

    private static void removeTree(Path tree) {
        // Guests leave directories of mode 000; root and the owner may still remove them after a chmod.
        Commands.run(List.of("chmod", "-R", "u+rwX", tree.toString()), Map.of(), Path.of("/tmp"), new byte[0]);
        Outcome removed = Commands.run(List.of("rm", "-rf", tree.toString()), Map.of(), Path.of("/tmp"), new byte[0]);
        for (int again = 0; again < 20 && removed.exitCode() != 0; again++) {
            // The package clients that the service asked for their registries may still write into their home.
            pause();
            removed = Commands.run(List.of("rm", "-rf", tree.toString()), Map.of(), Path.of("/tmp"), new byte[0]);
        }
        check(removed);
    }

    private static void pause() {
        try {
            Thread.sleep(250);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    Path dist() {
        return dist;
    }

    private static boolean isReadableBy(Account account, Path path) {
        List<String> test =
                account.command(List.of("test", "-r", path.resolve("bin/capsem").toString()));
        return Commands.run(test, Map.of(), Path.of("/"), new byte[0]).exitCode() == 0;
    }

    private static void check(Outcome outcome) {
        assertThat(outcome.exitCode()).as("%s", outcome.stderr()).isZero();
    }
}
