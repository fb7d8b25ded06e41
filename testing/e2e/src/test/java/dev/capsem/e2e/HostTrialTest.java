package dev.capsem.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.capsem.e2e.Commands.Outcome;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Hosts that are not laid out as we would: sandboxes start there all the same, or `status` says why they do not.
@Tag("e2e")
class HostTrialTest {
    /// One file system inside /usr/local, one deep in /usr, as WSL2 has; both in a mount namespace of the test's own.
    private static final String WITH_MOUNTS = "mount -t tmpfs none /usr/local/share && echo hidden > /usr/local/share/x"
            + " && mount -t tmpfs none /usr/share/misc && exec \"$@\"";

    static List<Account> accounts() {
        return Account.available();
    }

    @ParameterizedTest
    @MethodSource("accounts")
    void mountsBelowUsrKeepNobodyFromStarting(Account account) {
        assumeTrue(Account.available().contains(Account.ROOT), "only root can mount");
        assumeTrue(Files.isDirectory(Path.of("/usr/local/share")) && Files.isDirectory(Path.of("/usr/share/misc")));
        try (Installation installation = Installation.prepare(account)) {
            String look = "ls /usr/bin/sh && ! ls /usr/local/share/x 2>/dev/null"
                    + " && touch /usr/local/share/mine /usr/lib/mine /usr/local/bin/mine && echo written";
            Outcome run = underMounts(installation, "run", "--", "sh", "-c", look);

            assertThat(run.exitCode()).as("%s%s", run.stdout(), run.stderr()).isZero();
            assertThat(run.stdout()).isEqualTo("/usr/bin/sh\nwritten\n");

            Outcome status = underMounts(installation, "status");
            assertThat(status.exitCode())
                    .as("%s%s", status.stdout(), status.stderr())
                    .isZero();
        }
    }

    /// Many tools of Debian are links into /etc/alternatives: one that is installed later is whole in the sandboxes
    /// that start from then on.
    @Test
    void aToolThatIsInstalledLaterMakesAnotherTemplate(@TempDir Path alternatives) {
        assumeTrue(Account.available().contains(Account.ROOT), "only root can mount");
        assumeTrue(Files.isDirectory(Path.of("/etc/alternatives")), "only some hosts have alternatives");
        String install = """
                mount -t tmpfs none "$1" && cp -a /etc/alternatives/. "$1" && mount --bind "$1" /etc/alternatives
                "$2" template --stamp | head -n 1
                "$2" template --stamp | head -n 1
                ln -s /usr/bin/true /etc/alternatives/capsem-test
                "$2" template --stamp | head -n 1
                """;
        Path launcher = Path.of(System.getProperty("capsem.dist", "../../dist"), "libexec/capsem-launch")
                .toAbsolutePath();

        Outcome stamps = Commands.run(
                List.of("unshare", "-m", "sh", "-c", install, "sh", alternatives.toString(), launcher.toString()),
                Map.of(),
                alternatives,
                new byte[0]);

        assertThat(stamps.stdout().lines().toList())
                .as("%s", stamps.stderr())
                .hasSize(3)
                .satisfies(lines -> {
                    assertThat(lines.get(1)).isEqualTo(lines.get(0));
                    assertThat(lines.get(2)).isNotEqualTo(lines.get(0));
                });
    }

    @ParameterizedTest
    @MethodSource("accounts")
    void whatTheGuestWroteBesideAMountIsThereAgain(Account account) {
        assumeTrue(Account.available().contains(Account.ROOT), "only root can mount");
        assumeTrue(Files.isDirectory(Path.of("/usr/local/share")) && Files.isDirectory(Path.of("/usr/share/misc")));
        try (Installation installation = Installation.prepare(account)) {
            underMounts(installation, "create", "--name", "lab");
            underMounts(installation, "exec", "lab", "--", "sh", "-c", "echo kept > /usr/lib/mine; rm /usr/bin/yes");
            underMounts(installation, "stop", "lab");
            underMounts(installation, "resume", "lab");

            Outcome read =
                    underMounts(installation, "exec", "lab", "--", "sh", "-c", "cat /usr/lib/mine; ls /usr/bin/yes");
            assertThat(read.stdout()).as(read.stderr()).isEqualTo("kept\n");
            assertThat(read.exitCode()).isEqualTo(2);
        }
    }

    @Test
    void statusStartsASandboxBeforeItSaysThatAllIsWell() throws IOException {
        try (Installation whole = Installation.prepare(Account.USER)) {
            Path programs = whole.copyOfPrograms();
            Files.copy(
                    Path.of("/bin/true"),
                    programs.resolve("libexec/capsem-agent"),
                    StandardCopyOption.REPLACE_EXISTING,
                    StandardCopyOption.COPY_ATTRIBUTES);
            whole.handOver(programs);
            Installation broken = whole.withDist(programs);

            Outcome status = broken.capsem("status");
            broken.capsem("service", "stop");

            assertThat(status.exitCode())
                    .as("%s%s", status.stdout(), status.stderr())
                    .isEqualTo(1);
            assertThat(status.stdout()).contains("a trial sandbox failed").contains("TRIAL_FAILED");
        }
    }

    private static Outcome underMounts(Installation installation, String... arguments) {
        List<String> argv = new ArrayList<>(List.of("unshare", "-m", "sh", "-c", WITH_MOUNTS, "sh"));
        List<String> program =
                new ArrayList<>(List.of(installation.program("capsem").toString()));
        program.addAll(List.of(arguments));
        argv.addAll(installation.account().command(program));
        return Commands.run(argv, installation.environment(), installation.userDirectory(), new byte[0]);
    }
}
