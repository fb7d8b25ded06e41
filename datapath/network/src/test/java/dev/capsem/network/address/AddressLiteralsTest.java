package dev.capsem.network.address;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class AddressLiteralsTest {
    @ParameterizedTest
    @CsvSource({
        "10.0.0.1, 10.0.0.1",
        "0.0.0.0, 0.0.0.0",
        "99.9.90.9, 99.9.90.9",
        "::1, 0:0:0:0:0:0:0:1",
        "::ffff:1.2.3.4, 1.2.3.4"
    })
    void readsAddresses(String text, String address) {
        assertThat(AddressLiterals.parse(text))
                .hasValueSatisfying(found -> assertThat(found.getHostAddress()).isEqualTo(address));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "localhost", "a.1", "1.2.3.4.5", "1.2.3.256", "fe80", ":", "::g", "0x7f.0.0.1", "1.2.3.:4/"})
    void asksNobodyAboutTheRest(String text) {
        assertThat(AddressLiterals.parse(text)).isEmpty();
    }
}
