package dev.capsem.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.capsem.e2e.Commands.Outcome;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// The first command on a machine that lacks what sandboxes and builds need.
@Tag("e2e")
class FreshMachineTest {
    private static final String SUDO = "#!/bin/sh\n[ \"$1\" = -n ] && shift\nexec \"$@\"\n";

    @Test
    void ordinaryUsersAreToldTheOneCommandBeforeAnythingIsBuilt() {
        try (FreshMachine machine = new FreshMachine(Account.USER).hasBuildTools()) {
            for (String command : new String[] {"demo", "run", "status", "build", "test", "setup"}) {
                Outcome refused = machine.capsem(command);

                assertThat(refused.exitCode()).as(command).isEqualTo(125);
                assertThat(refused.stderr())
                        .as(command)
                        .isEqualTo("capsem: missing on this host: bubblewrap; "
                                + "run: sudo apt-get install -y --no-install-recommends bubblewrap\n");
            }
            assertThat(machine.asked()).isEmpty();
            assertThat(machine.dist()).doesNotExist();
        }
    }

    @Test
    void oneCommandNamesAllThatIsMissing() {
        try (FreshMachine machine = new FreshMachine(Account.USER)) {
            Outcome refused = machine.capsem("demo");

            assertThat(refused.exitCode()).isEqualTo(125);
            assertThat(refused.stderr())
                    .contains("install -y --no-install-recommends bubblewrap gcc make maven util-linux libc6-dev");
        }
    }

    @Test
    void rootGetsTheToolsInstalledInOneLineWithProgress() {
        assumeTrue(Account.available().contains(Account.ROOT), "needs root");
        try (FreshMachine machine = new FreshMachine(Account.ROOT).isBuilt()) {
            Outcome started = machine.capsem("run", "--", "id");

            assertThat(started.exitCode()).as(started.stderr()).isZero();
            assertThat(started.stdout()).startsWith("started run -- id");
            assertThat(started.stderr())
                    .matches("capsem: installing bubblewrap … fetched 50 % installed 100 % done in \\d+ s\n");
            assertThat(machine.asked()).contains("install -y --no-install-recommends bubblewrap");
        }
    }

    @Test
    void sudoWithoutPasswordDoesAsWell() {
        try (FreshMachine machine =
                new FreshMachine(Account.USER).isBuilt().has("sudo", SUDO).has("true")) {
            Outcome started = machine.capsem("list");

            assertThat(started.exitCode()).as(started.stderr()).isZero();
            assertThat(started.stdout()).startsWith("started list");
            assertThat(started.stderr()).contains("installing bubblewrap");
        }
    }

    @Test
    void failedInstallationSaysWhyAndWhatToType() {
        try (FreshMachine machine = new FreshMachine(Account.USER)
                .isBuilt()
                .has("sudo", SUDO)
                .has("true")
                .write("broken", "")) {
            Outcome refused = machine.capsem("list");

            assertThat(refused.exitCode()).isEqualTo(125);
            assertThat(refused.stdout()).isEmpty();
            assertThat(refused.stderr())
                    .contains("E: the mirror is gone")
                    .contains("run: sudo apt-get install -y --no-install-recommends bubblewrap");
        }
    }

    @Test
    void helpNeedsNothing() {
        try (FreshMachine machine = new FreshMachine(Account.USER)) {
            Outcome help = machine.capsem("--help");

            assertThat(help.exitCode()).isZero();
            assertThat(help.stdout()).contains("./capsem demo").contains("./capsem build");
            assertThat(machine.dist()).doesNotExist();
        }
    }

    @Test
    void theProgramLearnsHowItWasCalled() {
        try (FreshMachine machine = new FreshMachine(Account.USER).isBuilt().has("bwrap")) {
            assertThat(machine.capsem("list").stdout()).isEqualTo("started list as ./capsem\n");
        }
    }
}
