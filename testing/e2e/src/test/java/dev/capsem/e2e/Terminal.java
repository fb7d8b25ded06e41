package dev.capsem.e2e;

import dev.capsem.e2e.Commands.Outcome;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Assumptions;

/// A shell in tmux: a real terminal that a test types into and looks at. Of the same account as the installation.
record Terminal(Installation installation, String session) implements AutoCloseable {
    private static final int ATTEMPTS = 1_200;

    static Terminal open(Installation installation) {
        Assumptions.assumeTrue(Files.isExecutable(Path.of("/usr/bin/tmux")), "skipped: tmux is not installed");
        Assumptions.assumeFalse(installation.account().isForeign(), "skipped: the terminal is another account's");
        var terminal = new Terminal(installation, "capsem-" + UUID.randomUUID());
        terminal.tmux("new-session", "-d", "-s", terminal.session, "-x", "120", "-y", "40", "env PS1='$ ' sh");
        return terminal;
    }

    String capsem() {
        return "CAPSEM_HOME=" + installation.home() + " " + installation.program("capsem");
    }

    void type(String line) {
        tmux("send-keys", "-t", session, line, "Enter");
    }

    /// After a pause, as a person who has read the question: a key right away would not count.
    void key(String key) throws InterruptedException {
        Thread.sleep(1_200);
        keys(key);
    }

    /// At once. Names such as `C-c` are keys, everything else is typed as it is.
    void keys(String... keys) {
        List<String> arguments = new ArrayList<>(List.of("send-keys", "-t", session));
        arguments.addAll(List.of(keys));
        tmux(arguments.toArray(String[]::new));
    }

    String await(String pattern) throws InterruptedException {
        String screen = "";
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            screen = tmux("capture-pane", "-p", "-t", session).stdout();
            if (Pattern.compile(pattern).matcher(screen).find()) {
                return screen;
            }
            Thread.sleep(100);
        }
        throw new AssertionError("no " + pattern + " on the screen:\n" + screen);
    }

    private Outcome tmux(String... arguments) {
        List<String> argv = new ArrayList<>(List.of("tmux", "-L", session));
        argv.addAll(List.of(arguments));
        return Commands.run(argv, Map.of("TERM", "xterm-256color"), installation.userDirectory(), new byte[0]);
    }

    @Override
    public void close() {
        tmux("kill-server");
    }
}
