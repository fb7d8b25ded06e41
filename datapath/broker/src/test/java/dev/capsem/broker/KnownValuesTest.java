package dev.capsem.broker;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.Test;

final class KnownValuesTest {
    private static final String VALUE = "sk-VALUE/0123456789abcdef";
    private static final KnownValues VALUES =
            KnownValues.of(List.of(SecretValue.of(VALUE)), new Placeholder("nothing-to-see-here-at-all"));

    @Test
    void aTextWithoutAValueIsTheVeryText() {
        String text = "sk-VALUE/0123456789abcde is one short";

        assertThat(VALUES.clean(text)).isSameAs(text);
        assertThat(KnownValues.NONE.clean(VALUE)).isSameAs(VALUE);
    }

    @Test
    void everySpellingGoes() {
        String base64 = Base64.getEncoder().encodeToString(("me:" + VALUE).getBytes(StandardCharsets.UTF_8));

        assertThat(VALUES.clean("a " + VALUE + " b " + base64 + " c sk-VALUE%2F0123456789abcdef"))
                .startsWith("a nothing-to-see-here-at-all b ")
                .doesNotContain(VALUE)
                .doesNotContain(base64.substring(8))
                .endsWith(" c nothing-to-see-here-at-all");
    }

    @Test
    void theBeginningOfAValueWhereATextWasCutGoesIfItCanBeTold() {
        assertThat(VALUES.cleanBeginning("the key is sk-VALUE/0123")).isEqualTo("the key is ");
        assertThat(VALUES.cleanBeginning("the key is sk-V")).isEqualTo("the key is sk-V");
        assertThat(VALUES.clean("the key is sk-VALUE/0123")).endsWith("sk-VALUE/0123");
    }

    @Test
    void showsNothingOfItself() {
        assertThat(VALUES.toString()).doesNotContain("VALUE");
    }
}
