package dev.capsem.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.e2e.Commands.Outcome;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// One command asks many questions, one after the other, and a person answers each with a key: on every kind of
/// terminal, and with every command that asks.
@Tag("e2e")
class ManyQuestionsTest {
    /// What keeps the second one from being answered keeps this many; each costs the moment that a person reads.
    private static final int QUESTIONS = 12;

    /// A host that no profile knows: nothing leaves before an answer, names are not looked up either.
    private static final String LOOP = "i=1; while [ $i -le " + QUESTIONS + " ]; do "
            + "curl -s -m 110 -o /dev/null -w \"q$i=%{http_code}\\n\" http://q$i.example.test/; i=$((i+1)); done";

    private static Installation installation;

    @BeforeAll
    static void start() throws IOException {
        installation = Installation.prepare(Account.available().getFirst());
        Files.writeString(installation.userDirectory().resolve("ask.sh"), LOOP + "\n");
        installation.handOver(installation.userDirectory());
    }

    @AfterAll
    static void stop() {
        installation.close();
    }

    private static String sandbox() {
        Outcome created = installation.capsem("create");
        assertThat(created.exitCode()).as("%s", created.stderr()).isZero();
        String id = created.stdout().strip();
        assertThat(installation.capsem("cp", "ask.sh", id + ":ask.sh").exitCode())
                .isZero();
        return id;
    }

    /// Answers every question as it comes up, and sees what became of the last: each comes up after the one before was
    /// answered, and covers what became of it.
    private static void denyAll(Terminal terminal, String outcome) throws InterruptedException {
        for (int i = 1; i <= QUESTIONS; i++) {
            terminal.await("//q" + i + "\\.example(?s:.*)\\[d\\]eny");
            terminal.key("d");
        }
        terminal.await(outcome.formatted(QUESTIONS));
    }

    /// Types the command and answers; the shell around it is as it was afterwards.
    private static Callable<Void> attended(String command) {
        return () -> {
            try (Terminal terminal = Terminal.open(installation)) {
                terminal.type(command.replace("capsem", terminal.capsem()) + "; echo over-$((40+2))");
                denyAll(terminal, "q%d=403");
                terminal.await("over-42");
                terminal.type("stty -a | grep -o ' echo '; echo alive-$((40+2))");
                assertThat(terminal.await("alive-42")).contains(" echo ");
            }
            return null;
        };
    }

    private static Callable<Void> inShell(String sandbox) {
        return () -> {
            try (Terminal terminal = Terminal.open(installation)) {
                terminal.type(terminal.capsem() + " shell " + sandbox);
                terminal.await("root@|#");
                terminal.type("sh /root/ask.sh");
                denyAll(terminal, "q%d=403");
                terminal.type("echo alive-$((40+2))");
                terminal.await("alive-42");
            }
            return null;
        };
    }

    /// By itself: its sandbox starts while nothing else does.
    @Test
    void everyQuestionOfARunCanBeAnswered() throws Exception {
        attended("capsem run \"$(cat ask.sh)\"").call();
    }

    @Test
    void everyQuestionOfACommandCanBeAnswered() throws Exception {
        List<Callable<Void>> all = List.of(
                attended("capsem exec -t " + sandbox() + " -- sh /root/ask.sh"),
                attended("TERM=dumb capsem exec " + sandbox() + " -- sh /root/ask.sh"),
                attended("TERM=dumb capsem exec -t " + sandbox() + " -- sh /root/ask.sh"),
                attended("script -qec '" + "capsem exec " + sandbox() + " -- sh /root/ask.sh' /dev/null"),
                inShell(sandbox()));
        List<Future<Void>> results = new ArrayList<>();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            all.forEach(one -> results.add(threads.submit(one)));
        }
        for (Future<Void> result : results) {
            result.get();
        }
    }

    @Test
    void oneWatcherAnswersThemAll() throws Exception {
        String sandbox = sandbox();
        try (Terminal terminal = Terminal.open(installation)) {
            terminal.type(terminal.capsem() + " approvals --watch");
            terminal.await("watching");
            CompletableFuture<Outcome> asking = CompletableFuture.supplyAsync(
                    () -> installation.capsem("exec", sandbox, "--", "sh", "/root/ask.sh"));

            denyAll(terminal, "//q%d\\.example(?s:.*)→ denied");

            Outcome outcome = asking.get(4, TimeUnit.MINUTES);
            assertThat(outcome.stdout().lines()).hasSize(QUESTIONS).allMatch(line -> line.endsWith("=403"));
            terminal.keys("C-c");
            terminal.type("echo alive-$((40+2))");
            assertThat(terminal.await("alive-42")).doesNotContain("the service is gone");
        }
    }

    @Test
    void whatIsTypedWhileAQuestionIsUpReachesTheProgram() throws Exception {
        try (Terminal terminal = Terminal.open(installation)) {
            terminal.type(terminal.capsem() + " exec -t " + sandbox()
                    + " 'curl -s -o /dev/null http://typed.example.test/; read line; echo got-$line'");
            terminal.await("//typed\\.example(?s:.*)\\[d\\]eny");

            terminal.keys("hello", "Enter");
            terminal.key("d");

            terminal.await("got-hello");
        }
    }

    /// Nobody answers, and nobody waits for the deadline: what the question was about is gone.
    @Test
    void aCommandThatIsInterruptedTakesItsQuestionsAlong() throws Exception {
        String sandbox = sandbox();
        Process watcher = installation.begin("approvals", "--watch", "--json");
        try (Terminal terminal = Terminal.open(installation);
                BufferedReader changes = watcher.inputReader()) {
            assertThat(changes.readLine()).contains("snapshot");
            terminal.type(terminal.capsem() + " exec " + sandbox
                    + " -- sh -c 'curl -s http://left.example.test/ & curl -sk https://left.example.test/; wait'");
            terminal.await("//left\\.example(?s:.*)\\[d\\]eny");
            List<String> asked = List.of(changes.readLine(), changes.readLine());
            assertThat(asked).allMatch(line -> line.contains("\"event\":\"pending\""));

            terminal.keys("C-c");

            List<String> ended = List.of(changes.readLine(), changes.readLine());
            assertThat(ended).allMatch(line -> line.contains("\"outcome\":\"withdrawn\""));
        } finally {
            watcher.destroy();
        }
    }
}
