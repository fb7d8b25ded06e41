package dev.capsem.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;

class HomeLayoutTest {
    private static final Path USER = Path.of("/home/someone");
    private static final Path TEMP = Path.of("/tmp");

    private static HomeLayout of(Map<String, String> environment) {
        return HomeLayout.of(environment, USER, TEMP);
    }

    @Test
    void everythingLivesBelowTheHome() {
        HomeLayout layout = of(Map.of());

        assertThat(layout.home()).isEqualTo(USER.resolve(".capsem"));
        assertThat(layout.serviceSocket()).isEqualTo(USER.resolve(".capsem/run/service.sock"));
        assertThat(layout.instanceSocket(new SandboxId("lab")))
                .isEqualTo(USER.resolve(".capsem/run/instances/lab.sock"));
        assertThat(layout.mainDatabase()).isEqualTo(USER.resolve(".capsem/sessions/main.db"));
    }

    @Test
    void eachOverrideReplacesItsPartOnly() {
        assertThat(of(Map.of("CAPSEM_HOME", "/srv/c")).runDir()).isEqualTo(Path.of("/srv/c/run"));
        HomeLayout run = of(Map.of("CAPSEM_RUN_DIR", "/run/c"));
        assertThat(run.home()).isEqualTo(USER.resolve(".capsem"));
        assertThat(run.serviceSocket()).isEqualTo(Path.of("/run/c/service.sock"));
        HomeLayout socket = of(Map.of("CAPSEM_UDS_PATH", "/run/other.sock"));
        assertThat(socket.serviceSocket()).isEqualTo(Path.of("/run/other.sock"));
        assertThat(socket.runDir()).isEqualTo(USER.resolve(".capsem/run"));
        assertThat(of(Map.of("CAPSEM_HOME", "")).home()).isEqualTo(USER.resolve(".capsem"));
    }

    @Test
    void socketsAlwaysFitTheKernel() {
        HomeLayout deep = of(Map.of("CAPSEM_HOME", "/srv/" + "d".repeat(90)));
        SandboxId longest = new SandboxId("x".repeat(64));

        for (Path socket : new Path[] {
            deep.serviceSocket(),
            deep.instanceSocket(longest),
            deep.runtimeDir("0123abcd").resolve("vsock/5000"),
            of(Map.of()).instanceSocket(longest)
        }) {
            assertThat(socket.toString().getBytes(StandardCharsets.UTF_8))
                    .hasSizeLessThanOrEqualTo(HomeLayout.SOCKET_PATH_BYTES_MAX);
        }
        assertThat(deep.instanceSocket(longest)).isNotEqualTo(deep.instanceSocket(new SandboxId("y".repeat(64))));
        assertThat(deep.instanceSocket(longest)).startsWithRaw(deep.shortDir());
    }

    @Test
    void twoHomesNeverShareAShortDirectory() {
        assertThat(of(Map.of("CAPSEM_HOME", "/a")).shortDir())
                .isNotEqualTo(of(Map.of("CAPSEM_HOME", "/b")).shortDir());
    }
}
