package dev.capsem.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.e2e.Commands.Outcome;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Questions and answers at the command line: from another terminal, with one key beside a command, and in a shell.
@Tag("e2e")
class ApprovalsCliTest {
    private static final String ASKING = """
            schema = "capsem.profile.v2"
            id = "coding"

            [security.rules.process.ask_date]
            on = "process.exec"
            if = 'process.exec.executable == "date"'
            decision = "ask"
            priority = 10
            reason = "dates are delicate"
            """;

    private static final String PATIENT = """
            schema = "capsem.profile.v2"
            id = "patient"
            extends = "coding"

            [approvals]
            unwatched = "wait"
            """;

    private static Installation installation;
    private static String sandbox;
    private static String patient;

    @BeforeAll
    static void start() throws IOException {
        installation = Installation.prepare(Account.available().getFirst());
        Path profiles = Files.createDirectories(installation.home().resolve("profiles"));
        Files.writeString(profiles.resolve("coding.toml"), ASKING);
        Files.writeString(profiles.resolve("patient.toml"), PATIENT);
        installation.handOver(profiles);
        sandbox = installation.capsem("create").stdout().strip();
        patient = installation.capsem("create", "--profile", "patient").stdout().strip();
    }

    @AfterAll
    static void stop() {
        installation.close();
    }

    private static CompletableFuture<Outcome> ask(String where, String marker) {
        return CompletableFuture.supplyAsync(() -> installation.capsem("exec", where, "--", "date", "+" + marker));
    }

    private static String pending() throws InterruptedException {
        for (int attempt = 0; attempt < 300; attempt++) {
            String ids = installation.capsem("approvals", "-q").stdout().strip();
            if (!ids.isEmpty()) {
                return ids.lines().findFirst().orElseThrow();
            }
            Thread.sleep(100);
        }
        throw new AssertionError("nothing was asked");
    }

    @Test
    void aScriptIsToldHowToAnswerAndAnotherTerminalDoes() throws Exception {
        CompletableFuture<Outcome> asking = ask(patient, "once");
        String id = pending();

        assertThat(installation.capsem("approvals").stdout())
                .contains(id)
                .contains("security.rules.process.ask_date")
                .contains("date +once");
        Outcome approved = installation.capsem("approvals", "approve", id);

        assertThat(approved.exitCode()).as("%s", approved.stderr()).isZero();
        Outcome outcome = asking.get(60, TimeUnit.SECONDS);
        assertThat(outcome.exitCode()).as("%s", outcome.stderr()).isZero();
        assertThat(outcome.stdout()).isEqualTo("once\n");
        assertThat(installation.capsem("approvals", "approve", id).exitCode()).isEqualTo(125);
    }

    /// Well before the two minutes that a question may wait.
    @Test
    void whatNobodyIsThereToAnswerIsRefusedAtOnce() throws Exception {
        Outcome outcome = ask(sandbox, "alone").get(60, TimeUnit.SECONDS);

        assertThat(outcome.exitCode()).isEqualTo(126);
        assertThat(outcome.stdout()).isEmpty();
        assertThat(outcome.stderr())
                .contains("security.rules.process.ask_date", "nobody is there to answer", "approvals --watch")
                .contains("capsem rules why " + sandbox + " --toml | capsem rules add -");
        assertThat(installation.capsem("approvals", "-q").stdout()).isEmpty();
        String steps = "select s.message from security_event_steps s where s.kind = 'confirm'";
        Installation.Reply record = installation.get("/verify/" + sandbox).expect(200);
        assertThat(record.json().path("intact").asBoolean()).isTrue();
        long end = System.nanoTime() + Duration.ofSeconds(60).toNanos();
        while (!installation.capsem("inspect", sandbox, steps).stdout().contains("no_approver: nobody is there")) {
            assertThat(System.nanoTime()).as("it is recorded").isLessThan(end);
            Thread.sleep(100);
        }
    }

    @Test
    void aDeniedCommandDoesNotRun() throws Exception {
        CompletableFuture<Outcome> asking = ask(patient, "never");

        assertThat(installation.capsem("approvals", "deny", pending()).exitCode())
                .isZero();

        Outcome outcome = asking.get(60, TimeUnit.SECONDS);
        assertThat(outcome.exitCode()).isEqualTo(126);
        assertThat(outcome.stdout()).isEmpty();
        assertThat(outcome.stderr()).contains("capsem: ").contains("security.rules.process.ask_date");
    }

    @Test
    void oneKeyAnswersBesideACommand() throws Exception {
        try (Terminal terminal = Terminal.open(installation)) {
            terminal.type(terminal.capsem() + " exec " + sandbox + " -- date +key-yes");
            String box = terminal.await("\\[o\\]nce");
            assertThat(box).contains("Capsem asks").contains("date +key-yes").contains("dates are delicate");

            terminal.key("o");

            terminal.await("(?m)^key-yes");
            terminal.type("echo alive-$((40+2))");
            terminal.await("alive-42");
        }
    }

    @Test
    void oneKeyDenies() throws Exception {
        try (Terminal terminal = Terminal.open(installation)) {
            terminal.type(terminal.capsem() + " exec " + sandbox + " -- date +key-no; echo code=$?");
            terminal.await("\\[d\\]eny");

            terminal.key("d");

            assertThat(terminal.await("code=126")).doesNotContainPattern("(?m)^key-no");
        }
    }

    /// The question belongs to another command of the same sandbox: whoever sits in its shell is asked.
    @Test
    void aShellShowsTheQuestionAndGoesOnAfterwards() throws Exception {
        try (Terminal terminal = Terminal.open(installation)) {
            terminal.type(terminal.capsem() + " shell " + sandbox);
            terminal.await("root@|#");
            terminal.type("echo before-$((40+2))");
            terminal.await("before-42");
            CompletableFuture<Outcome> asking = ask(sandbox, "shell");
            terminal.await("\\[o\\]nce");

            terminal.key("o");

            Outcome outcome = asking.get(60, TimeUnit.SECONDS);
            assertThat(outcome.exitCode()).as("%s", outcome.stderr()).isZero();
            terminal.type("echo after-$((40+2))");
            String screen = terminal.await("after-42");
            assertThat(screen).contains("before-42").doesNotContain("[o]nce");
        }
    }
}
