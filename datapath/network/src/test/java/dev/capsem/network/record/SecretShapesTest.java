package dev.capsem.network.record;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SecretShapesTest {
    private static final String SECRET = "sk-abcdefghijklmnop";

    /// Just outside of each range of the characters that words are made of.
    @ParameterizedTest
    @ValueSource(strings = {"`", "{", "@", "[", "/", ":", " ", "\"", "-", "^"})
    void aSecretBeginsBehindWhateverIsNoWord(String before) {
        assertThat(Redaction.mask(before + SECRET)).isEqualTo(before + "***");
    }

    @ParameterizedTest
    @ValueSource(strings = {"a", "z", "A", "Z", "0", "9", "_"})
    void insideAWordNoneBegins(String before) {
        assertThat(Redaction.mask(before + SECRET)).isEqualTo(before + SECRET);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "sk-abcdefghijklmnop",
                "AIzaabcdefghijklmnopqrstuvwxyz0123456",
                "ghp_abcdefghijklmnop",
                "github_pat_abcdefghijklmnop",
                "glpat-abcdefghijklmnop",
                "npm_abcdefghijklmnop",
                "pypi-abcdefghijklmnop",
                "hf_abcdefghijklmnop",
                "xoxb-abcdefgh",
                "AKIAABCDEFGHIJKLMNOP",
                "ASIAABCDEFGHIJKLMNOP",
                "eyJabcd.efgh.ijkl",
                "bearer abcdefgh",
                "Bearer abcdefgh",
                "BEARER abcdefgh",
                "basic abcdefgh",
                "Basic abcdefgh",
                "BASIC abcdefgh",
                "-----BEGIN RSA PRIVATE KEY-----abc"
            })
    void everyShapeIsKnown(String secret) {
        assertThat(Redaction.mask("x " + secret)).isEqualTo("x ***");
        assertThat(Redaction.mask(secret + "\u00e9 end")).isEqualTo("***\u00e9 end");
    }

    @Test
    void onlyFormsAreReadAsForms() {
        assertThat(Redaction.body("token=abc&x=1", Optional.of("Application/X-WWW-Form-Urlencoded; charset=utf-8")))
                .isEqualTo("token=***&x=1");
        assertThat(Redaction.body("token=abc&x=1", Optional.of("text/plain"))).isEqualTo("token=abc&x=1");
        assertThat(Redaction.body("token=abc&x=1", Optional.empty())).isEqualTo("token=abc&x=1");
    }
}
