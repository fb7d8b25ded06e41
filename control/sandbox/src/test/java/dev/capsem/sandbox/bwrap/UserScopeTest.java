package dev.capsem.sandbox.bwrap;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.wire.SandboxSpec;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/// How a sandbox is put under the limits of a user's own service manager.
class UserScopeTest {
    @Test
    void theLauncherIsStartedWithinTheLimitsAndLearnsNothingOfTheManager() {
        UserScope scope = new UserScope(Path.of("/usr/bin/systemd-run"), Path.of("/run/user/1000"));

        assertThat(scope.around(List.of("capsem-launch", "sandbox"), new SandboxSpec.Limits(512, 2, 100)))
                .containsExactly(
                        "/usr/bin/env",
                        "XDG_RUNTIME_DIR=/run/user/1000",
                        "/usr/bin/systemd-run",
                        "--user",
                        "--scope",
                        "--quiet",
                        "--collect",
                        "--no-ask-password",
                        "-p",
                        "MemoryMax=536870912",
                        "-p",
                        "MemorySwapMax=0",
                        "-p",
                        "TasksMax=116",
                        "--",
                        "/usr/bin/env",
                        "-u",
                        "XDG_RUNTIME_DIR",
                        "capsem-launch",
                        "sandbox");
    }

    @Test
    void withoutAManagerThereIsNone() {
        assertThat(UserScope.detect(Path.of("/nonexistent/user"))).isEmpty();
    }
}
