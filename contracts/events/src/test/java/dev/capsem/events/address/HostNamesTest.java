package dev.capsem.events.address;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class HostNamesTest {
    @ParameterizedTest
    @CsvSource({"ExAmple.COM, example.com", "example.com., example.com", "., .", "a., a", "a.., a.", "'', ''"})
    void hasOneSpelling(String name, String expected) {
        assertThat(HostNames.normalize(name)).isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(strings = {"a", "z", "0", "9", "a-b_c.d", "::1", "10.0.0.1"})
    void takesNamesAndAddresses(String text) {
        assertThat(HostNames.isHost(text)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "A", "`", "{", "/", "a b", "a@b", "a/b", "é", "a\n"})
    void takesNothingElse(String text) {
        assertThat(HostNames.isHost(text)).isFalse();
    }

    @Test
    void aHostHasAtMost253Characters() {
        assertThat(HostNames.isHost("a".repeat(253))).isTrue();
        assertThat(HostNames.isHost("a".repeat(254))).isFalse();
    }

    @ParameterizedTest
    @CsvSource({
        "example.com,          external",
        "a.b,                  external",
        "example,              local",
        "printer.local,        local",
        "x.localhost,          local",
        "db.internal,          local",
        "nas.lan,              local",
        "nas.home.arpa,        local",
        "local.example.com,    external",
        "10.0.0.1,             address",
        "1.2.3.9,              address",
        "1.0.0.10.in-addr.arpa, address",
        "1.ip6.arpa,           address",
        "'',                   invalid",
        "a..b,                 invalid",
        ".a,                   invalid",
        "a b.com,              invalid",
        "a:b.com,              invalid",
    })
    void classifiesNamesOfQuestions(String name, String expected) {
        assertThat(HostNames.classify(name)).isEqualTo(expected);
    }

    @Test
    void labelsAndNamesHaveTheLengthsOfDns() {
        String label = "a".repeat(63);

        assertThat(HostNames.classify(label + ".com")).isEqualTo("external");
        assertThat(HostNames.classify("a" + label + ".com")).isEqualTo("invalid");
        assertThat(HostNames.classify(label + "." + label + "." + label + "." + "a".repeat(61)))
                .isEqualTo("external");
        assertThat(HostNames.classify(label + "." + label + "." + label + "." + "a".repeat(62)))
                .isEqualTo("invalid");
    }
}
