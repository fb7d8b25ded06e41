package dev.capsem.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.e2e.Commands.Outcome;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;

/// The command line as a person uses it, with a service that starts by itself.
@Tag("e2e")
class CliTest {
    static List<Account> accounts() {
        return Account.available();
    }

    @ParameterizedTest
    @MethodSource("accounts")
    void runStartsTheServiceAndPassesTheExitCodeOn(Account account) {
        try (Installation installation = Installation.prepare(account)) {
            Outcome run = installation.capsem("run", "--", "sh", "-c", "echo out; echo err >&2; exit 7");

            assertThat(run.exitCode()).as("%s", run.stderr()).isEqualTo(7);
            assertThat(run.stdout()).isEqualTo("out\n");
            assertThat(run.stderr()).contains("err\n");
            assertThat(installation.capsem("list", "-q").stdout()).isEmpty();
        }
    }

    @ParameterizedTest
    @MethodSource("accounts")
    void standardInputAndBinaryOutputPassUnchanged(Account account) {
        try (Installation installation = Installation.start(account)) {
            String id = create(installation);
            byte[] bytes = new byte[3 * 1024 * 1024];
            new java.util.Random(42).nextBytes(bytes);

            Outcome cat = installation.capsem(bytes, installation.userDirectory(), "exec", id, "--", "cat");

            assertThat(cat.exitCode()).as("%s", cat.stderr()).isZero();
            assertThat(cat.stdoutBytes()).isEqualTo(bytes);
        }
    }

    @Test
    void filesAreCopiedBothWays() throws IOException {
        try (Installation installation = Installation.start(Account.USER)) {
            String id = create(installation);
            Path source = installation.userDirectory().resolve("in.txt");
            Files.writeString(source, "over\n");
            installation.handOver(source);

            assertThat(installation
                            .capsem("cp", source.toString(), id + ":dir/in.txt")
                            .exitCode())
                    .isZero();
            assertThat(installation
                            .capsem("exec", id, "--", "cat", "dir/in.txt")
                            .stdout())
                    .isEqualTo("over\n");
            Path back = installation.userDirectory().resolve("out.txt");
            assertThat(installation
                            .capsem("cp", id + ":dir/in.txt", back.toString())
                            .exitCode())
                    .isZero();
            assertThat(back).hasContent("over\n");
            assertThat(installation.capsem("cp", id + ":dir/in.txt", "-").stdout())
                    .isEqualTo("over\n");
        }
    }

    @Test
    void everyListingHasAJsonForm() {
        try (Installation installation = Installation.start(Account.USER)) {
            String id = create(installation);
            installation.capsem("exec", id, "--", "echo", "seen");

            for (List<String> command : List.of(
                    List.of("list"),
                    List.of("info", id),
                    List.of("history", id),
                    List.of("stats"),
                    List.of("status"),
                    List.of("version"),
                    List.of("verify", id),
                    List.of("service", "status"))) {
                List<String> words = new java.util.ArrayList<>(command);
                words.add("--json");
                Outcome outcome = installation.capsem(words.toArray(String[]::new));

                assertThat(outcome.exitCode())
                        .as("%s: %s", command, outcome.stderr())
                        .isZero();
                JsonNode parsed = Installation.JSON.readTree(outcome.stdout());
                assertThat(parsed.isContainer()).as("%s", command).isTrue();
            }
            assertThat(installation.capsem("history", id).stdout()).contains("echo seen");
        }
    }

    @Test
    void mistakesSayWhatToDo() {
        try (Installation installation = Installation.start(Account.USER)) {
            Outcome unknown = installation.capsem("exec", "nobody", "--", "true");
            Outcome usage = installation.capsem("list", "--no-such-flag");

            assertThat(unknown.exitCode()).isEqualTo(125);
            assertThat(unknown.stderr()).contains("nobody").contains("capsem list");
            assertThat(usage.exitCode()).isEqualTo(2);
            assertThat(unknown.stdout()).isEmpty();
        }
    }

    @Test
    void secondServiceYieldsToTheFirst() {
        try (Installation installation = Installation.start(Account.USER)) {
            Path service = installation.dist().resolve("bin/capsem-service");

            Outcome second = Commands.run(
                    Account.USER.command(List.of(service.toString(), "--foreground")),
                    installation.environment(),
                    installation.userDirectory(),
                    new byte[0]);

            assertThat(second.exitCode()).as("%s", second.stderr()).isZero();
            assertThat(installation.capsem("list").exitCode()).isZero();
        }
    }

    /// A real terminal: tmux types, the shell inside answers, the size arrives.
    @Test
    void shellIsATerminal() throws Exception {
        Assumptions.assumeTrue(Files.isExecutable(Path.of("/usr/bin/tmux")), "skipped: tmux is not installed");
        try (Installation installation = Installation.start(Account.available().getFirst())) {
            String id = create(installation);
            String session = "capsem-" + UUID.randomUUID();
            Path dist = Path.of(System.getProperty("capsem.dist", "../../dist"))
                    .toAbsolutePath()
                    .normalize();
            tmux(
                    installation,
                    "-L",
                    session,
                    "new-session",
                    "-d",
                    "-s",
                    session,
                    "-x",
                    "101",
                    "-y",
                    "33",
                    "env CAPSEM_HOME=" + installation.home() + " " + dist + "/bin/capsem shell " + id);
            try {
                awaitScreen(installation, session, "root@|#|\\$");
                tmux(
                        installation,
                        "-L",
                        session,
                        "send-keys",
                        "-t",
                        session,
                        "stty size; echo mark-$((40+2)); tty",
                        "Enter");
                String screen = awaitScreen(installation, session, "mark-42");

                assertThat(screen).contains("33 101").contains("/dev/pts/");
                tmux(installation, "-L", session, "send-keys", "-t", session, "exit 3", "Enter");
            } finally {
                Thread.sleep(300);
                tmux(installation, "-L", session, "kill-server");
            }
        }
    }

    private static String awaitScreen(Installation installation, String session, String pattern)
            throws InterruptedException {
        String screen = "";
        for (int attempt = 0; attempt < 300; attempt++) {
            screen = tmux(installation, "-L", session, "capture-pane", "-p", "-t", session)
                    .stdout();
            if (java.util.regex.Pattern.compile(pattern).matcher(screen).find()) {
                return screen;
            }
            Thread.sleep(100);
        }
        throw new AssertionError("no " + pattern + " on the screen:\n" + screen);
    }

    private static Outcome tmux(Installation installation, String... arguments) {
        List<String> argv = new java.util.ArrayList<>(List.of("tmux"));
        argv.addAll(List.of(arguments));
        return Commands.run(argv, Map.of("TERM", "xterm-256color"), installation.userDirectory(), new byte[0]);
    }

    private static String create(Installation installation) {
        Outcome outcome = installation.capsem("create", "--json");
        assertThat(outcome.exitCode()).as("%s", outcome.stderr()).isZero();
        return Installation.JSON
                .readTree(outcome.stdout().getBytes(StandardCharsets.UTF_8))
                .path("id")
                .asString();
    }
}
