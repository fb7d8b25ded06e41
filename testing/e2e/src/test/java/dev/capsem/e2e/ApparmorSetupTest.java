package dev.capsem.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.e2e.Commands.Outcome;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Set-up where AppArmor keeps ordinary users from user namespaces, as on Ubuntu 24.04. The switch, the folder of
/// profiles and the program that loads them are the test's own.
@Tag("e2e")
class ApparmorSetupTest {
    private static final String SUDO = "#!/bin/sh\n[ \"$1\" = -n ] && shift\nexec \"$@\"\n";
    private static final String PARSER = "#!/bin/sh\necho \"$*\" >>\"$FRESH_MACHINE/parsed\"\n";

    @Test
    void profileIsInstalledAndLoadedOnce() throws IOException {
        try (FreshMachine machine = restricted("1").has("sudo", SUDO).has("true")) {
            Outcome first = install(machine);
            Outcome second = install(machine);

            assertThat(first.exitCode()).as(first.stderr()).isZero();
            assertThat(first.stderr()).contains("AppArmor profile").endsWith("done\n");
            assertThat(second.stderr()).isEmpty();
            Path folder = machine.tree().resolveSibling("apparmor.d");
            assertThat(Files.readString(folder.resolve("capsem")))
                    .contains("abi <abi/4.0>,")
                    .contains("profile capsem-launch \"" + machine.dist()
                            + "/libexec/capsem-launch\" flags=(unconfined) {")
                    .contains("profile capsem-bwrap \"/usr/bin/bwrap\" flags=(unconfined) {")
                    .contains("  userns,\n");
            assertThat(Files.readString(machine.tree().resolveSibling("parsed")))
                    .isEqualTo("-r " + folder.resolve("capsem") + "\n");
        }
    }

    @Test
    void distributionsOwnProfileForBubblewrapStays() throws IOException {
        try (FreshMachine machine = restricted("1").has("sudo", SUDO).has("true")) {
            machine.write("apparmor.d/bwrap-userns-restrict", "profile bwrap /usr/bin/bwrap { }\n");

            install(machine);

            assertThat(Files.readString(machine.tree().resolveSibling("apparmor.d/capsem")))
                    .contains("capsem-launch")
                    .doesNotContain("/usr/bin/bwrap");
        }
    }

    @Test
    void withoutRightsTheOneCommandIsSaid() {
        try (FreshMachine machine = restricted("1")) {
            Outcome told = install(machine);

            assertThat(told.stderr())
                    .isEqualTo("capsem: AppArmor keeps ordinary users from user namespaces; run: sudo " + machine.tree()
                            + "/scripts/apparmor install\n");
            assertThat(machine.tree().resolveSibling("apparmor.d/capsem")).doesNotExist();
        }
    }

    @Test
    void nothingIsDoneWhereNothingIsRestricted() {
        try (FreshMachine machine = restricted("0").has("sudo", SUDO).has("true")) {
            assertThat(install(machine).stderr()).isEmpty();
            assertThat(machine.tree().resolveSibling("apparmor.d/capsem")).doesNotExist();
        }
    }

    private static FreshMachine restricted(String value) {
        return new FreshMachine(Account.USER)
                .has("apparmor_parser", PARSER)
                .write("switch", value + "\n")
                .write("apparmor.d/other", "");
    }

    private static Outcome install(FreshMachine machine) {
        Path root = machine.tree().resolveSibling("");
        return machine.run(
                List.of("./scripts/apparmor", "install"),
                Map.of(
                        "CAPSEM_APPARMOR_SWITCH",
                        root.resolve("switch").toString(),
                        "CAPSEM_APPARMOR_FOLDER",
                        root.resolve("apparmor.d").toString()));
    }
}
