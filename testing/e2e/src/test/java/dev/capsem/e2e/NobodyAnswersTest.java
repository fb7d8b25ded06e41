package dev.capsem.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.e2e.Commands.Outcome;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Commands that wait for somebody who never comes end by themselves and say so.
@Tag("e2e")
class NobodyAnswersTest {
    private static Installation installation;

    @BeforeAll
    static void start() {
        installation = Installation.start(Account.available().getFirst());
    }

    @AfterAll
    static void stop() {
        installation.close();
    }

    @Test
    void aSocketThatIsNotThereIsNamed() {
        Path nothing = installation.userDirectory().resolve("none.sock");

        Outcome outcome = installation.capsem("--uds-path", nothing.toString(), "list");

        assertThat(outcome.exitCode()).isEqualTo(125);
        assertThat(outcome.stderr())
                .contains("capsem-service is not running at " + nothing)
                .contains("leave out --uds-path");
        assertThat(nothing).doesNotExist();
    }

    /// It takes connections, as the kernel does for it, and never says a word.
    @Test
    void aSocketThatSaysNothingIsNamed() throws IOException {
        Path silent = installation.userDirectory().resolve("silent.sock");
        try (ServerSocketChannel listening = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            listening.bind(UnixDomainSocketAddress.of(silent));
            installation.handOver(silent);

            Outcome outcome = installation.capsem("--uds-path", silent.toString(), "list");

            assertThat(outcome.exitCode()).isEqualTo(125);
            assertThat(outcome.stderr()).contains(silent + " takes connections but does not answer");
        }
    }

    @Test
    void followingAStoppedSandboxEnds() {
        installation.create("{\"name\": \"ended\", \"persistent\": true}");
        installation.post("/stop/ended", "{}").expect(200);

        assertThat(installation.capsem("net", "tail", "ended").stderr()).contains("ended is stopped");
        assertThat(installation.capsem("logs", "-f", "ended").exitCode()).isZero();
        assertThat(installation.capsem("exec", "ended", "--", "true").stderr()).contains("capsem resume ended");
        assertThat(installation.capsem("net", "tail", "never-was").exitCode()).isEqualTo(125);
        assertThat(installation.capsem("logs", "-f", "never-was").exitCode()).isEqualTo(125);
    }
}
