package dev.capsem.network.http.head;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class AuthorityTest {
    @ParameterizedTest
    @CsvSource({
        "example.com,       example.com",
        "EXAMPLE.com.,      example.com",
        "a,                 a",
        "z-_0.9a,           z-_0.9a",
        "10.0.0.1,          10.0.0.1",
        "[::1],             ::1",
        "[FE80::A],         fe80::a",
    })
    void hasOneSpelling(String text, String host) {
        assertThat(Authority.parse(text)).contains(new Authority(host, OptionalInt.empty()));
    }

    @ParameterizedTest
    @CsvSource({
        "example.com:1,     example.com, 1",
        "example.com:65535, example.com, 65535",
        "example.com:9,     example.com, 9",
        "[fe80::]:80,       fe80::,      80",
        "example.com:0443,  example.com, 443",
        "[::1]:8080,        ::1,         8080",
    })
    void mayNameAPort(String text, String host, int port) {
        assertThat(Authority.parse(text)).contains(new Authority(host, OptionalInt.of(port)));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                ".",
                "a:",
                "a:0",
                "a:65536",
                "a:000443",
                "a:+1",
                "a:1x",
                "a:-1",
                ":80",
                "user@a",
                "a b",
                "a/b",
                "é.com",
                "a{",
                "`a",
                "a:/",
                "a::1",
                "127.1",
                "1.9",
                "1.0",
                "0177.0.0.1",
                "1.2.3.256",
                "1",
                ".a",
                "a..b",
                "a..",
                "[a]",
                "[::1",
                "::1]",
                "[::1%eth0]",
                "[]",
                "[1.2.3.4]",
                "[::g]",
                "a\\b",
                "*.a"
            })
    void refusesWhatARuleWouldNotKnowAgain(String text) {
        assertThat(Authority.parse(text)).isEqualTo(Optional.empty());
    }

    @Test
    void aHostHasAtMost253Characters() {
        assertThat(Authority.host("a".repeat(253))).isPresent();
        assertThat(Authority.host("a".repeat(254))).isEmpty();
        assertThat(Authority.host("a".repeat(253) + ".")).isPresent();
    }
}
