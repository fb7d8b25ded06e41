package dev.capsem.sandboxmcp.io;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HttpTransportTest {
    @ParameterizedTest
    @CsvSource({
        "http://127.0.0.1:8765,true",
        "http://localhost:8765,true",
        "http://[::1]:8765,true",
        "http://localhost:3000,false",
        "http://127.0.0.1,false",
        "https://localhost:8765,false",
        "http://localhost.example.test:8765,false",
        "http://a@example.test:8765,false",
        "null,false",
        "'',false"
    })
    void onlyPagesOfThisVeryServerMayCall(String origin, boolean isOwn) {
        assertThat(HttpTransport.isOwn(origin, 8765)).isEqualTo(isOwn);
    }
}
