package dev.capsem.cli.profile.io;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("sockets")
class DownloadTest {
    @Test
    void saysThatNobodyIsThere() throws IOException {
        int port;
        try (ServerSocket gone = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = gone.getLocalPort();
        }
        try (Download download = new Download()) {
            assertThatThrownBy(() -> download.get(URI.create("http://127.0.0.1:" + port + "/corp.toml")))
                    .isInstanceOf(IOException.class)
                    .hasMessage("nobody accepts connections there");
        }
    }
}
