package dev.capsem.sandbox.bwrap;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.sandbox.HostProblem;
import dev.capsem.sandbox.bwrap.io.ProcessTable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HostCheckTest {
    @Test
    void takesBubblewrapFromZeroEightOn() {
        assertThat(HostCheck.isNewEnough("bubblewrap 0.8.0")).isTrue();
        assertThat(HostCheck.isNewEnough("bubblewrap 0.11.0")).isTrue();
        assertThat(HostCheck.isNewEnough("bubblewrap 1.0.0")).isTrue();
        assertThat(HostCheck.isNewEnough("bubblewrap 0.4.1")).isFalse();
        assertThat(HostCheck.isNewEnough("something else")).isFalse();
    }

    @Test
    void readsTheLaunchersComplaintIntoCauseAndRemedy() {
        String log = """
                capsem-agent: ready
                capsem-launch: mount the overlay of usr: Invalid argument; use ext4; or xfs
                """;

        assertThat(LauncherComplaint.in(log))
                .isEqualTo(Optional.of(new HostProblem(
                        "LAUNCH_FAILED", "mount the overlay of usr: Invalid argument", "use ext4; or xfs")));
        assertThat(LauncherComplaint.in("bwrap: Can't find source path /x"))
                .hasValueSatisfying(problem -> assertThat(problem.code()).isEqualTo("BWRAP_FAILED"));
        assertThat(LauncherComplaint.in("capsem-agent: ready\n")).isEmpty();
    }

    @Test
    void namesApparmorOnlyWhereItIsTheReason(@TempDir Path proc) throws IOException {
        Files.createDirectories(proc.resolve("sys/kernel"));
        Path value = proc.resolve("sys/kernel/apparmor_restrict_unprivileged_userns");
        BwrapFiles files = new BwrapFiles(
                proc.resolve("dist/libexec/capsem-launch"),
                proc.resolve("dist/libexec/capsem-agent"),
                Path.of("bwrap"),
                proc,
                proc);
        HostCheck check = new HostCheck(files, new ProcessTable(proc));
        String refused = "capsem-launch: write /proc/self/uid_map: Operation not permitted; allow user namespaces";
        String other = "capsem-launch: mount the overlay of a directory: Invalid argument; use ext4";

        Files.writeString(value, "1\n");
        assertThat(check.explain(refused)).satisfies(problem -> {
            assertThat(problem.code()).isEqualTo("USERNS_RESTRICTED");
            assertThat(problem.cause()).contains("AppArmor").contains("apparmor_restrict_unprivileged_userns=1");
            assertThat(problem.remedy()).isEqualTo("sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0");
        });
        assertThat(check.explain(refused.replace("Operation not permitted", "Permission denied"))
                        .code())
                .isEqualTo("USERNS_RESTRICTED");
        assertThat(check.explain(other).code()).isEqualTo("LAUNCH_FAILED");

        Path script = proc.resolve("scripts/apparmor");
        Files.createDirectories(script.getParent());
        Files.writeString(script, "");
        assertThat(script.toFile().setExecutable(true)).isTrue();
        assertThat(check.explain(refused).remedy()).endsWith("sudo " + script + " install");

        Files.writeString(value, "0\n");
        assertThat(check.explain(refused).code()).isEqualTo("LAUNCH_FAILED");
    }

    @Test
    void trialThatSaysNothingIsAProblemToo() {
        assertThat(StartTrial.explain("")).satisfies(problem -> {
            assertThat(problem.code()).isEqualTo("TRIAL_FAILED");
            assertThat(problem.cause()).isEqualTo("a trial sandbox failed: it said nothing");
        });
    }
}
