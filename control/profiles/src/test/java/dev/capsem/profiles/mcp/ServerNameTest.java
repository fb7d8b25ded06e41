package dev.capsem.profiles.mcp;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ServerNameTest {
    @ParameterizedTest
    @ValueSource(strings = {"github", "a", "my-server_2.x", "builtin2"})
    void acceptsPlainNames(String name) {
        assertThat(ServerName.fault(name)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a__b", "__", "builtin", "local", "file", "GitHub", "-a", "a b", "a/b", "é"})
    void refusesNamesThatWouldConfuseRouting(String name) {
        assertThat(ServerName.fault(name)).isPresent();
    }

    @Test
    void refusesNamesThatAreTooLong() {
        assertThat(ServerName.fault("a".repeat(40))).isEmpty();
        assertThat(ServerName.fault("a".repeat(41))).isPresent();
    }

    @ParameterizedTest
    @CsvSource({"GitHub, github", "My Server, my-server", "a__b, a_b", "_x, x"})
    void spellsForeignNamesItsOwnWay(String foreign, String expected) {
        assertThat(ServerName.normalize(foreign)).contains(new ServerName(expected));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "___", "Builtin", "LOCAL", "日本"})
    void leavesOutNamesWithoutAValidSpelling(String foreign) {
        assertThat(ServerName.normalize(foreign)).isEmpty();
    }
}
