package dev.capsem.daemon.io;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("sockets")
class SingleInstanceTest {
    @TempDir
    private Path home = Path.of("replaced by JUnit");

    @Test
    void secondServiceFindsTheFirst() throws IOException {
        Path runDir = Files.createDirectory(home.resolve("run"));
        Path socket = runDir.resolve("service.sock");
        try (ServerSocketChannel first = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            first.bind(UnixDomainSocketAddress.of(socket));
            try (SingleInstance _ =
                    SingleInstance.acquire(runDir, runDir.resolve("none.sock")).orElseThrow()) {
                // A lock of the same JVM is refused by an exception, not by an empty answer; another socket in use
                // is enough.
                assertThat(SingleInstance.acquire(home, socket)).isEmpty();
            }
        }
        assertThat(Files.exists(socket)).isTrue();
    }

    @Test
    void theSocketOfOneThatDiedIsRemoved() throws IOException {
        Path socket = home.resolve("service.sock");
        try (ServerSocketChannel died = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            died.bind(UnixDomainSocketAddress.of(socket));
        }

        try (SingleInstance _ = SingleInstance.acquire(home, socket).orElseThrow()) {
            assertThat(socket).doesNotExist();
        }
    }
}
