package dev.capsem.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.capsem.e2e.Commands.Outcome;
import dev.capsem.e2e.Installation.Executed;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// What the kernel counts for a user, it counts for one sandbox of root alone; and files are a sandbox's own whatever
/// ids it runs under.
@Tag("e2e")
class KernelCountsTest {
    /// More descriptors under way, and more pages of pipes, than the small limits of [#MODEST] and of the kernel allow
    /// one user.
    private static final String GREEDY = """
            import array, os, resource, socket, time
            hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
            resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
            one, other = socket.socketpair()
            null = os.open('/dev/null', os.O_RDONLY)
            for _ in range(4):
                one.sendmsg([b'x'], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array('i', 200 * [null]))])
            pages = int(open('/proc/sys/fs/pipe-user-pages-soft').read())
            pipes = [os.pipe() for _ in range(min(pages // 16 + 50, 4000))]
            print('full', flush=True)
            time.sleep(600)
            """;

    /// Fails with "Too many references" where 64 descriptors of its user are under way already.
    private static final String MODEST = """
            import array, fcntl, os, resource, socket
            resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
            one, other = socket.socketpair()
            one.sendmsg([b'x'], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array('i', [0]))])
            print('sent, pipe', fcntl.fcntl(os.pipe()[0], 1032))
            """;

    @Test
    void whatOneSandboxUsesUpIsThereForTheNext() {
        assumeTrue(
                Account.available().contains(Account.ROOT), "users' sandboxes share what the kernel counts for them");
        try (Installation installation = Installation.shared(Account.ROOT)) {
            String greedy = installation.create();
            String modest = installation.create();
            put(installation, greedy, "greedy.py", GREEDY);
            put(installation, greedy, "modest.py", MODEST);
            put(installation, modest, "modest.py", MODEST);

            Executed full = installation.exec(
                    greedy,
                    "nohup python3 greedy.py > said 2>&1 & while ! grep -q 'full\\|Error' said; do sleep 0.1; done; cat said");
            Executed inside = installation.exec(greedy, "python3 modest.py");
            Executed outside = installation.exec(modest, "python3 modest.py");

            assertThat(full.stdout()).isEqualTo("full\n");
            assertThat(inside.stderr()).as("the limit is reached").contains("Too many references");
            assertThat(outside.stdout()).as("%s", outside.stderr()).isEqualTo("sent, pipe 65536\n");
            assertThat(installation.exec(greedy, "cat /proc/self/uid_map").stdout())
                    .isNotEqualTo(
                            installation.exec(modest, "cat /proc/self/uid_map").stdout());
        }
    }

    @ParameterizedTest
    @MethodSource("dev.capsem.e2e.Account#available")
    void statusSaysWhoSharesThem(Account account) {
        try (Installation installation = Installation.shared(account)) {
            String expected = account == Account.ROOT ? "own" : "shared with user";

            assertThat(installation.capsem("status").stdout()).containsPattern("(?m)^kernel counts +" + expected + "$");
        }
    }

    /// Others start and end beside it, so that each start finds other ids free.
    @Test
    void filesStayTheSandboxsOwnUnderOtherIds() throws IOException {
        assumeTrue(Account.available().contains(Account.ROOT), "a user's guests have the user's own id");
        try (Installation installation = Installation.shared(Account.ROOT)) {
            Path project = Files.createDirectories(installation.userDirectory().resolve("app"));
            Files.writeString(project.resolve("a.txt"), "one\n");
            String beside = installation.create();
            ok(installation.capsem("create", "--name", "lab", "--workspace", project.toString()));
            sh(
                    installation,
                    "lab",
                    "umask 077; mkdir d; echo kept > d/f; ln -s f d/l; echo two >> app/a.txt; rm /etc/shells /usr/bin/yes;"
                            + " mkdir -p /usr/lib/mine /var/mine; echo x | tee /usr/lib/mine/x /var/mine/x >> /etc/hosts");
            ok(installation.capsem("stop", "lab"));
            ok(installation.capsem("delete", beside));
            installation.create();
            installation.create();
            ok(installation.capsem("resume", "lab"));

            String look = "cat d/f d/l app/a.txt /usr/lib/mine/x /var/mine/x; ls /etc/shells /usr/bin/yes 2>/dev/null;"
                    + " stat -c '%u %g %a' . d d/f app/a.txt /usr/lib/mine /var/mine/x /etc/hosts";
            String expected = """
                    kept
                    kept
                    one
                    two
                    x
                    x
                    0 0 755
                    0 0 700
                    0 0 600
                    0 0 644
                    0 0 700
                    0 0 600
                    0 0 644
                    """;
            assertThat(sh(installation, "lab", look)).isEqualTo(expected);
            sh(installation, "lab", "echo more >> d/f; rm -r d/l /var/mine; touch /usr/bin/yes");
            ok(installation.capsem("fork", "lab", "copy"));
            ok(installation.capsem("resume", "copy"));

            assertThat(sh(installation, "copy", "cat d/f; echo copied >> d/f; ls d; stat -c '%u %g' d/f"))
                    .isEqualTo("kept\nmore\nf\n0 0\n");
            assertThat(sh(installation, "lab", "cat d/f")).isEqualTo("kept\nmore\n");
            ok(installation.capsem("stop", "copy"));
            Files.writeString(installation.userDirectory().resolve("in"), "brought\n");
            ok(installation.capsem("cp", "in", "copy:d/in"));
            ok(installation.capsem("resume", "copy"));
            assertThat(sh(installation, "copy", "cat d/in; echo y >> d/in; stat -c '%u %g' d/in"))
                    .isEqualTo("brought\n0 0\n");
            assertThat(installation.capsem("diff", "copy").stdout()).contains("+two");
            ok(installation.capsem("apply", "copy"));
            assertThat(project.resolve("a.txt")).hasContent("one\ntwo\n");
            assertThat(Files.getAttribute(project.resolve("a.txt"), "unix:uid")).isEqualTo(0);
        }
    }

    private static void put(Installation installation, String sandbox, String name, String text) {
        installation
                .upload("/files/" + sandbox + "/content?path=" + name, text.getBytes(StandardCharsets.UTF_8))
                .expect(200);
    }

    private static String sh(Installation installation, String sandbox, String script) {
        return ok(installation.capsem("exec", sandbox, "--", "sh", "-c", "cd /root; " + script))
                .stdout();
    }

    private static Outcome ok(Outcome outcome) {
        assertThat(outcome.exitCode())
                .as("%s%s", outcome.stdout(), outcome.stderr())
                .isZero();
        return outcome;
    }
}
