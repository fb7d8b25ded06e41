package dev.capsem.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.e2e.Commands.Outcome;
import dev.capsem.testkit.terminal.TerminalTrick;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// A guest writes what it likes to a real terminal and then causes a question: what stands on the screen is the true
/// question and nothing else, and the screen is the guest's again afterwards.
@Tag("e2e")
class HostileTerminalTest {
    private static final List<TerminalTrick> TRICKS = TerminalTrick.all();

    /// Each trick, then a question. Resets the terminal before the next one, so that each is alone.
    private static String script() {
        var cases = new StringBuilder();
        for (int i = 1; i <= TRICKS.size(); i++) {
            cases.append(i).append(") printf '");
            for (byte one : TRICKS.get(i - 1).bytes()) {
                cases.append("\\%03o".formatted(one & 0xff));
            }
            cases.append("';;\n");
        }
        return """
                i=$1
                while [ $i -le $2 ]; do
                case $i in
                """ + cases + """
                esac
                curl -s -m 110 -o /dev/null http://t$i.example.test/
                printf '\\030\\033\\\\\\033c'
                i=$((i+1))
                done
                """;
    }

    private static Installation installation;

    @BeforeAll
    static void start() throws IOException {
        installation = Installation.prepare(Account.available().getFirst());
        Files.writeString(installation.userDirectory().resolve("tricks.sh"), script());
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
        assertThat(installation.capsem("cp", "tricks.sh", id + ":tricks.sh").exitCode())
                .isZero();
        return id;
    }

    /// The whole screen is the box of this question.
    private static void assertTrue(String screen, String trick, String url) {
        List<String> rows = screen.lines()
                .map(String::stripTrailing)
                .filter(row -> !row.isEmpty())
                .toList();
        assertThat(screen).as("%s", trick).doesNotContain(TerminalTrick.FORGED);
        assertThat(rows).as("%s", trick).hasSizeBetween(5, 15);
        assertThat(rows.getFirst())
                .as("%s", trick)
                .startsWith("┌─ Capsem asks · ")
                .endsWith("┐");
        assertThat(rows.get(1)).as("%s", trick).startsWith("│ GET " + url + " ").endsWith("│");
        assertThat(rows.getLast()).as("%s", trick).startsWith("└").endsWith("┘");
        assertThat(rows.get(rows.size() - 2))
                .as("%s", trick)
                .startsWith("│ [o]nce")
                .contains("[d]eny");
        assertThat(rows)
                .as("%s", trick)
                .allMatch(row -> row.length() == rows.getFirst().length());
    }

    private static Callable<Void> attended(String command, int first, int last) {
        return () -> {
            try (Terminal terminal = Terminal.open(installation)) {
                terminal.type(command.replace("capsem", terminal.capsem()).replace("RANGE", first + " " + last)
                        + "; echo over-$((40+2))");
                answerAll(terminal, first, last);
                terminal.await("over-42");
                terminal.type("stty -a | grep -o ' echo '; echo alive-$((40+2))");
                assertThat(terminal.await("alive-42")).contains(" echo ");
            }
            return null;
        };
    }

    private static void answerAll(Terminal terminal, int first, int last) throws InterruptedException {
        for (int i = first; i <= last; i++) {
            String url = "http://t" + i + ".example.test/";
            String screen = terminal.await("//t" + i + "\\.example(?s:.*)\\[d\\]eny(?s:.*)┘");
            assertTrue(screen, TRICKS.get(i - 1).name(), url);
            terminal.key("d");
        }
    }

    private static Callable<Void> inShell(String sandbox, int first, int last) {
        return () -> {
            try (Terminal terminal = Terminal.open(installation)) {
                terminal.type(terminal.capsem() + " shell " + sandbox);
                terminal.await("root@|#");
                terminal.type("sh /root/tricks.sh " + first + " " + last + "; echo over-$((40+2))");
                answerAll(terminal, first, last);
                terminal.await("over-42");
            }
            return null;
        };
    }

    @Test
    void noTrickShapesTheQuestion() throws Exception {
        int all = TRICKS.size();
        int half = all / 2;
        List<Callable<Void>> attempts = List.of(
                attended("capsem exec -t " + sandbox() + " -- sh /root/tricks.sh RANGE", 1, half),
                inShell(sandbox(), half + 1, all),
                attended("capsem exec " + sandbox() + " -- sh /root/tricks.sh RANGE", 1, half),
                attended("capsem exec " + sandbox() + " -- sh /root/tricks.sh RANGE", half + 1, all));
        List<Future<Void>> results = new ArrayList<>();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            attempts.forEach(one -> results.add(threads.submit(one)));
        }
        for (Future<Void> result : results) {
            result.get();
        }
    }

    /// It asks the terminal where the cursor is and what it can do, leaves mouse and margins behind, and ends before
    /// the terminal answers. What the host's shell would read then is shown as characters.
    @ParameterizedTest
    @ValueSource(strings = {"exec", "exec -t"})
    void nothingIsTypedIntoTheShellBehindACommand(String how) throws Exception {
        try (Terminal terminal = Terminal.open(installation)) {
            String asks = "printf '\\033[6n\\033[c\\033[?1003h\\033[2;3r\\033[?1049h'";
            terminal.type(terminal.capsem() + " " + how + " " + sandbox() + " -- " + asks
                    + "; stty -echo -icanon min 0 time 10; dd bs=1 count=99 2> /dev/null | od -An -c"
                    + "; stty sane; echo read-$((40+2))");

            String screen = terminal.await("read-42");

            assertThat(screen.lines().filter(line -> line.matches(" *033 .*"))).isEmpty();
            assertThat(screen).as("the screen is the shell's again").contains("stty -echo");
        }
    }

    @Test
    void aScreenIsTheGuestsAgainAfterTheQuestion() throws Exception {
        try (Terminal terminal = Terminal.open(installation)) {
            String id = sandbox();
            terminal.type(terminal.capsem() + " shell " + id);
            terminal.await("root@|#");
            terminal.type("seq 1000 1100 > n; echo before-$((40+2))");
            terminal.await("before-42");
            terminal.type(
                    "(sleep 2; curl -s -m 110 -o /dev/null http://during.example.test/; touch answered) & less n");
            terminal.await("(?m)^1030");
            String box = terminal.await("//during\\.example(?s:.*)\\[d\\]eny(?s:.*)┘");
            assertTrue(box, "less", "http://during.example.test/");

            terminal.key("d");

            assertThat(terminal.await("(?m)^1030")).startsWith("1000").doesNotContain("Capsem asks");
            terminal.keys("q");
            terminal.type("echo after-$((40+2))");
            assertThat(terminal.await("after-42")).contains("before-42").doesNotContain("Capsem asks");
        }
    }
}
