package dev.capsem.broker;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PlaceholderShapesTest {
    private final Random random = new Random(7);

    @ParameterizedTest
    @CsvSource({
        "sk-ant-api03-AbCdEfGhIjKlMnOpQrStUvWxYz0123456789AbCdEfGh, sk-ant-api03-[A-Za-z0-9]{44}",
        "ghp_0123456789abcdefghijABCDEFGHIJ012345, ghp_[A-Za-z0-9]{36}",
        "AKIAIOSFODNN7EXAMPLE, AKIA[A-Z2-7]{26}",
        "0123456789abcdef0123456789abcdef01234567, [0-9a-f]{40}",
        "short-password, [A-Za-z0-9]{26}"
    })
    void looksLikeTheValue(String value, String shape) {
        Placeholder made = PlaceholderShapes.make(SecretValue.of(value), Optional.empty(), random);

        assertThat(made.text()).matches(shape).doesNotContain(value);
    }

    @Test
    void takesTheShapeThatTheProfileWants() {
        Placeholder made = PlaceholderShapes.make(SecretValue.of("anything at all"), Optional.of("glpat-"), random);

        assertThat(made.text()).matches("glpat-[A-Za-z0-9]{26,}");
    }

    @Test
    void aTokenStaysATokenThatNamesNobody() {
        String value = "eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJhbGljZUBleGFtcGxlLmNvbSJ9.c2lnbmF0dXJl";

        String[] parts = PlaceholderShapes.make(SecretValue.of(value), Optional.empty(), random)
                .text()
                .split("\\.");

        assertThat(parts).hasSize(3);
        assertThat(decoded(parts[0])).isEqualTo("{\"alg\":\"HS256\",\"typ\":\"JWT\"}");
        assertThat(decoded(parts[1])).contains("\"jti\":").doesNotContain("alice");
        assertThat(parts[2]).hasSize(43);
    }

    @Test
    void canBeMadeBeforeTheValueIsThere() {
        Placeholder made = PlaceholderShapes.makeUnseen(Optional.of("ghp_"), random);

        assertThat(made.text()).matches("ghp_[A-Za-z0-9]{36}");
    }

    @Test
    void noTwoAreAlike() {
        SecretValue value = SecretValue.of("ghp_0123456789abcdefghijABCDEFGHIJ012345");

        assertThat(PlaceholderShapes.make(value, Optional.empty(), random))
                .isNotEqualTo(PlaceholderShapes.make(value, Optional.empty(), random));
    }

    private static String decoded(String part) {
        return new String(Base64.getUrlDecoder().decode(part), StandardCharsets.UTF_8);
    }
}
