package dev.capsem.policy.grammar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.capsem.policy.diagnostic.Code;
import dev.capsem.policy.diagnostic.CompilationError;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class HostTest {
    @ParameterizedTest
    @CsvSource({
        "*,                    ANY",
        "*.example.com,        SUBDOMAINS",
        "example.com,          NAME",
        "a,                    NAME",
        "_dmarc.example.com,   NAME",
        "a-b.example,          NAME",
        "1.2.3.4.example,      NAME",
        "1.2.3.example,        NAME",
        "10.0.0.1,             IPV4",
        "0.0.0.0,              IPV4",
        "255.255.255.255,      IPV4",
        "::,                   IPV6",
        "::1,                  IPV6",
        "1::,                  IPV6",
        "1:2:3:4:5:6:7:8,      IPV6",
        "1::3:4:5:6:7:8,       IPV6",
        "FE80::abcd,           IPV6",
    })
    void knowsFiveForms(String text, Host.Form form) {
        assertThat(new Host(text).form()).isEqualTo(form);
        assertThat(new Host(text).isAddress()).isEqualTo(form == Host.Form.IPV4 || form == Host.Form.IPV6);
        assertThat(new Host(text)).hasToString(text);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "127.1",
                "0x7f.1",
                "1.2.3",
                "1.2.3.256",
                "1.2.3.04",
                "01.2.3.4",
                "1.2.3.4.5",
                "1.2.3.",
                "1.2..4",
                "1.2.3.1000",
                "1.2.3.0x4",
                "a.0X",
                "a.12",
                "300.1.1.1",
                "1.2.3.:",
                "1.2.3./",
                "1:2:3:4:5:6:7",
                "1:2:3:4:5:6:7:8:9",
                "1::2::3",
                "1:::2",
                "1::2:3:4:5:6:7:8:9",
                "1::3:4:5:6:7:8:9",
                "12345::",
                "g::",
                "::1%eth0",
                "::ffff:1.2.3.4",
                "1:2:3:4:5:6:7:",
                "*.",
                "*.*",
                "**.a",
                "a.*",
                "*a.b",
                "-a",
                "a-",
                "a..b",
                ".a",
                "a.",
                "a b",
                "a/b",
                "a@b",
                "a:80",
                "é.com",
                "*.10"
            })
    void refusesEverythingElse(String text) {
        assertThatThrownBy(() -> new Host(text))
                .isInstanceOfSatisfying(
                        CompilationError.class,
                        error -> assertThat(error.code()).isEqualTo(Code.CAP_NET_HOST));
    }

    @Test
    void portsEndAt65535() {
        assertThat(CapabilityParser.port("65535")).isEqualTo(65_535);
        assertThatThrownBy(() -> CapabilityParser.port("65536")).isInstanceOf(CompilationError.class);
    }

    @Test
    void namesTheEmptyHost() {
        assertThatThrownBy(() -> new Host(""))
                .isInstanceOfSatisfying(
                        CompilationError.class,
                        error -> assertThat(error.code()).isEqualTo(Code.CAP_SCOPE_EMPTY));
    }

    @Test
    void labelsAndNamesHaveTheLengthsOfDns() {
        String label = "a".repeat(63);
        String longest = label + "." + label + "." + label + "." + "a".repeat(61);

        assertThat(new Host(longest).form()).isEqualTo(Host.Form.NAME);
        assertThatThrownBy(() -> new Host(longest + "a")).isInstanceOf(CompilationError.class);
        assertThatThrownBy(() -> new Host("a" + label)).isInstanceOf(CompilationError.class);
    }

    @ParameterizedTest
    @CsvSource({
        "www.example.com,   *.example.com, true",
        "WWW.Example.COM,   *.example.com, true",
        "a.b.example.com,   *.EXAMPLE.com, true",
        "*.a.example.com,   *.example.com, true",
        "*.example.com,     *.example.com, true",
        "example.com,       *.example.com, false",
        "evilexample.com,   *.example.com, false",
        "example.com.evil,  *.example.com, false",
        "*,                 *.example.com, false",
        "10.0.0.1,          *.example.com, false",
        "::1,               *.example.com, false",
        "example.com,       *,             true",
        "*,                 *,             true",
        "10.0.0.1,          *,             true",
        "Example.com,       example.COM,   true",
        "www.example.com,   example.com,   false",
        "*.example.com,     example.com,   false",
        "10.0.0.1,          10.0.0.1,      true",
        "10.0.0.11,         10.0.0.1,      false",
        "FE80::1,           fe80::1,       true",
        "fe80::2,           fe80::1,       false",
    })
    void coversWhatItNamesAndNothingBeside(String inner, String outer, boolean expected) {
        assertThat(new Host(inner).isCoveredBy(new Host(outer))).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource({
        "localhost,       false",
        "LocalHost,       false",
        "::1,             false",
        "::2,             true",
        "127.0.0.1,       false",
        "126.0.0.1,       true",
        "10.0.0.1,        false",
        "11.0.0.1,        true",
        "192.168.0.1,     false",
        "192.167.0.1,     true",
        "191.168.0.1,     true",
        "172.15.0.1,      true",
        "172.16.0.1,      false",
        "172.31.0.1,      false",
        "172.32.0.1,      true",
        "171.16.0.1,      true",
        "8.8.8.8,         true",
        "example.com,     true",
        "*,               true",
        "*.localhost,     true",
    })
    void privateRangesStayClosedUnlessTheHostIsOne(String text, boolean expected) {
        assertThat(new Host(text).blockPrivate()).isEqualTo(expected);
    }
}
