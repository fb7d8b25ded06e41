package dev.capsem.network.http.upstream;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.ConnectException;
import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class UpstreamTroubleTest {
    /// Where a name leads inside is the host's business.
    @ParameterizedTest
    @CsvSource({
        "Connection refused: /127.0.0.1:22,connection refused",
        "Connection timed out: db.example/10.1.2.3:5432,Connection timed out",
        "Host is down: /[fd00:0:0:0:0:0:0:7]:443,Host is down",
        "Permission denied: localhost/127.0.0.1:1,Permission denied"
    })
    void noAddressIsTold(String said, String told) {
        assertThat(UpstreamTrouble.connecting("the upstream", new ConnectException(said), Duration.ofSeconds(1))
                        .reason())
                .endsWith(": " + told);
        assertThat(UpstreamTrouble.broken(new IOException(said))).doesNotContain("10.1.2.3", "127.0.0.1", "fd00");
        assertThat(UpstreamTrouble.handshake(new IOException(said), Duration.ofSeconds(1))
                        .reason())
                .doesNotContain("10.1.2.3", "127.0.0.1", "fd00");
    }
}
