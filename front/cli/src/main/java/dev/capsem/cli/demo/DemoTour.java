package dev.capsem.cli.demo;

import dev.capsem.cli.demo.io.DemoWorld;
import dev.capsem.cli.record.HistoryCommand;
import dev.capsem.cli.screen.Amounts;
import dev.capsem.client.SandboxService;
import dev.capsem.wire.service.ApplyReply;
import dev.capsem.wire.service.ApplyRequest;
import dev.capsem.wire.service.DiffReply;
import dev.capsem.wire.service.ExecReply;
import dev.capsem.wire.service.ExecRequest;
import dev.capsem.wire.service.ForkReply;
import dev.capsem.wire.service.HistoryReply;
import dev.capsem.wire.service.ProvisionReply;
import dev.capsem.wire.service.ProvisionRequest;
import dev.capsem.wire.service.ProvisionRequest.ProjectMount;
import dev.capsem.wire.service.VerifyReply;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.random.RandomGenerator;

/// The stages of the demo, in order.
final class DemoTour {
    private static final int EXEC_TIMEOUT_SECS = 30;
    private static final int HISTORY_COMMAND_WIDTH = 60;

    private final SandboxService service;
    private final Claims claims;
    private final Path scratch;
    private final String suffix;
    private final List<String> sandboxes = new ArrayList<>();
    private Optional<Path> profileFile = Optional.empty();

    DemoTour(SandboxService service, Claims claims, Path scratch, RandomGenerator random) {
        this.service = service;
        this.claims = claims;
        this.scratch = scratch;
        this.suffix = Integer.toHexString(random.nextInt(0x1000, 0x10000));
    }

    /// Everything the tour made, to be deleted whatever happened.
    List<String> sandboxes() {
        return List.copyOf(sandboxes);
    }

    /// The profile it wrote, to be deleted too.
    Optional<Path> profileFile() {
        return profileFile;
    }

    void run() {
        try {
            Path secret = Files.writeString(scratch.resolve("secret.txt"), "only for the host\n");
            String id = makeSandbox();
            runCommands(id);
            tryToEscape(id, secret);
            moveFiles(id);
            lendProject();
            fork(id);
            goOutside(id);
            readRecord(id);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private String makeSandbox() {
        claims.stage("A sandbox", "its own processes, files and network; nothing of yours inside");
        long start = System.nanoTime();
        ProvisionReply made = provision("demo-" + suffix, Optional.empty());
        long millis = (System.nanoTime() - start) / 1_000_000;
        claims.check("it is up", true, made.id() + " after " + millis + " ms (" + made.mode() + ")");
        return made.id();
    }

    private void runCommands(String id) {
        claims.stage("Commands", "an ordinary Linux; root inside, nobody outside");
        expect(id, "who am I", "id -un", "root");
        expect(id, "a pipeline", "printf 'b\\na\\n' | sort | head -n 1", "a");
        expect(id, "its host name is its id", "hostname", id);
        ExecReply failed = exec(id, "echo oops >&2; exit 3");
        claims.check("exit codes and stderr arrive", failed.exitCode() == 3, "exit " + failed.exitCode());
    }

    private void tryToEscape(String id, Path secret) {
        claims.stage("Breaking out", "what a hostile agent would try first; each attempt must fail");
        refuse(
                id,
                "find a network card",
                "grep -v -e lo: -e '|' /proc/net/dev || { echo nothing but loopback >&2; false; }");
        refuse(
                id,
                "ask the cloud for the machine's credentials",
                "bash -c 'exec 3<>/dev/tcp/169.254.169.254/80;"
                        + " printf \"GET / HTTP/1.1\\r\\nHost: 169.254.169.254\\r\\nConnection: close\\r\\n\\r\\n\" >&3; cat <&3'"
                        + " | grep 'HTTP/1.1 [^4]' || { echo blocked: an address inside the host >&2; false; }");
        refuse(id, "read a file of the host", "cat " + secret);
        refuse(id, "read password hashes", "grep -m 1 ':[$]' /etc/shadow || { echo none in /etc/shadow >&2; false; }");
        refuse(id, "mount a file system", "mount -t tmpfs none /mnt");
        refuse(id, "make namespaces of its own", "unshare -Urn true");
        refuse(id, "change the host's kernel", "echo x > /proc/sys/kernel/core_pattern");
        refuse(id, "look into the first process", "cat /proc/1/environ");
    }

    private void moveFiles(String id) {
        claims.stage("A file in and out", "capsem cp");
        byte[] text = "carried in\n".getBytes(StandardCharsets.UTF_8);
        service.writeFile(id, "letter.txt", text);
        expect(id, "it arrived", "cat letter.txt", "carried in");
        exec(id, "tr a-z A-Z < letter.txt > reply.txt");
        String reply = new String(service.readFile(id, "reply.txt"), StandardCharsets.UTF_8);
        claims.check("the answer came back", reply.equals("CARRIED IN\n"), reply);
    }

    private void lendProject() throws IOException {
        claims.stage("A project, copy-on-write", "capsem run --workspace DIR, then capsem diff and capsem apply");
        Path project = Files.createDirectory(scratch.resolve("app"));
        Path file = Files.writeString(project.resolve("greeting.txt"), "hello\n");
        Files.writeString(project.resolve("old.txt"), "old\n");
        String id = provision("demo-app-" + suffix, Optional.of(new ProjectMount(project.toString(), false)))
                .id();
        exec(id, "cd /root/app && echo world >> greeting.txt && rm old.txt && echo new > new.txt");
        claims.check(
                "outside nothing changed",
                Files.readString(file).equals("hello\n") && Files.exists(project.resolve("old.txt")),
                "greeting.txt still says hello");
        DiffReply diff = service.diff(id, List.of());
        claims.check(
                "the changes are seen",
                diff.changes().size() == 3 && diff.unified().contains("+world"),
                String.join(
                        ", ",
                        diff.changes().stream()
                                .map(c -> c.kind() + " " + c.path())
                                .toList()));
        ApplyReply applied = service.apply(id, new ApplyRequest(List.of("greeting.txt"), false));
        claims.check(
                "one of them comes back, the others wait",
                applied.applied().equals(List.of("greeting.txt"))
                        && Files.readString(file).equals("hello\nworld\n")
                        && Files.exists(project.resolve("old.txt")),
                "applied " + String.join(", ", applied.applied()));
        Files.writeString(project.resolve("new.txt"), "written outside meanwhile\n");
        ApplyReply refused = service.apply(id, new ApplyRequest(List.of("new.txt"), false));
        claims.check(
                "newer work of yours is not overwritten",
                refused.applied().isEmpty() && refused.refused().size() == 1,
                refused.refused().stream()
                        .map(p -> p.path() + " " + p.reason())
                        .findFirst()
                        .orElse(""));
    }

    private void fork(String id) {
        claims.stage("A fork", "a copy with a life of its own");
        exec(id, "echo original > state.txt");
        String name = "demo-fork-" + suffix;
        sandboxes.add(name);
        ForkReply fork = service.fork(id, name, "");
        service.resume(fork.name());
        expect(fork.name(), "it has the files", "cat state.txt", "original");
        exec(fork.name(), "echo changed > state.txt");
        expect(id, "the original keeps its own", "cat state.txt", "original");
        claims.check("size", fork.sizeBytes() > 0, Amounts.bytes(fork.sizeBytes()));
    }

    /// Behind a profile of its own, which is gone afterwards.
    private void goOutside(String id) throws IOException {
        var agent = new AgentScript(exec(id, "command -v curl").exitCode() == 0);
        try (DemoWorld world = new DemoWorld(scratch, agent.hasCurl(), new SecureRandom(), Instant.now())) {
            String profile = "demo-" + suffix;
            profileFile = Optional.of(NetworkTour.install(service, profile, world));
            String name = "demo-net-" + suffix;
            sandboxes.add(name);
            service.provision(new ProvisionRequest(
                    Optional.of(name),
                    Optional.empty(),
                    Optional.empty(),
                    true,
                    Map.of(),
                    Optional.empty(),
                    Optional.empty(),
                    Optional.of(profile)));
            new NetworkTour(service, claims, world, name, agent).run();
        }
    }

    private void readRecord(String id) {
        claims.stage("What was recorded", "capsem history, capsem verify: a chain that cannot be edited unseen");
        HistoryReply history = service.history(id, 100, 0, "", HistoryReply.Shown.COMMANDS);
        HistoryCommand.print(claims.screen(), history.commands(), HISTORY_COMMAND_WIDTH);
        claims.check(
                "every attempt is on record",
                history.commands().stream().anyMatch(entry -> entry.command().contains("/etc/shadow")),
                Amounts.counted(history.total(), "command"));
        VerifyReply verified = service.verify(id);
        claims.check("the record is unbroken", verified.intact(), Amounts.counted(verified.events(), "event"));
    }

    private ProvisionReply provision(String name, Optional<ProjectMount> project) {
        sandboxes.add(name);
        return service.provision(new ProvisionRequest(
                Optional.of(name),
                Optional.empty(),
                Optional.empty(),
                false,
                Map.of(),
                Optional.empty(),
                project,
                Optional.empty()));
    }

    private void expect(String id, String claim, String command, String output) {
        ExecReply reply = exec(id, command);
        claims.check(
                claim,
                reply.exitCode() == 0 && reply.stdout().strip().equals(output),
                reply.stdout().isBlank() ? reply.stderr() : reply.stdout());
    }

    private void refuse(String id, String attempt, String command) {
        ExecReply reply = exec(id, command);
        boolean failed = reply.exitCode() != 0 && reply.stdout().isEmpty();
        claims.check(attempt, failed, failed ? reply.stderr() : "it worked: " + reply.stdout());
    }

    private ExecReply exec(String id, String line) {
        return service.exec(
                id,
                new ExecRequest(
                        new ExecRequest.Command.Shell(line),
                        Optional.empty(),
                        Map.of(),
                        Optional.empty(),
                        Optional.of(EXEC_TIMEOUT_SECS),
                        Optional.of("cli")));
    }
}
