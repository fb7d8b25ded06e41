package dev.capsem.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.e2e.Commands.Outcome;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// The upstreams of the network tests serve every client as it wants to be served: what fails through the door does not
/// fail because of them.
@Tag("e2e")
class UpstreamsTest {
    private static World world;

    @BeforeAll
    static void start() {
        world = new World();
    }

    @AfterAll
    static void stop() {
        world.close();
    }

    @ParameterizedTest
    @EnumSource(NetClients.class)
    void serveEveryClientDirectly(NetClients client) {
        client.missing(world).ifPresent(reason -> Assumptions.abort("skipped: " + reason));

        Outcome outcome = Commands.run(
                List.of("sh", "-c", client.direct(world)), world.directEnvironment(), Path.of("/tmp"), new byte[0]);

        System.out.println(client + "\n" + outcome.stdout() + outcome.stderr());
        assertThat(outcome.exitCode())
                .as("%s%s", outcome.stdout(), outcome.stderr())
                .isZero();
        assertThat(outcome.stdout()).isNotBlank();
    }
}
