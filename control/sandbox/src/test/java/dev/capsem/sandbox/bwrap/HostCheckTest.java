package dev.capsem.sandbox.bwrap;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.sandbox.HostProblem;
import java.util.Optional;
import org.junit.jupiter.api.Test;

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
}
