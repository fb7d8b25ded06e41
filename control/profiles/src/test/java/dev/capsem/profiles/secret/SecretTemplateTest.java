package dev.capsem.profiles.secret;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SecretTemplateTest {
    private static final SecretSource ONE =
            ref -> ref.text().equals("${secret:token}") ? Optional.of(new Secret("s3cr3t")) : Optional.empty();

    @Test
    void namesSecretsWithoutHoldingThem() {
        SecretTemplate template = parse("Bearer ${secret:token}");

        assertThat(template.references()).containsExactly(new SecretRef.Stored(new SecretName("token")));
        assertThat(template.toString()).isEqualTo("Bearer ${secret:token}");
        assertThat(template.resolve(ONE).orElseThrow().reveal()).isEqualTo("Bearer s3cr3t");
    }

    @Test
    void isEmptyIfASecretIsMissing() {
        assertThat(parse("${secret:token} ${secret:other}").resolve(ONE)).isEmpty();
    }

    @Test
    void spellsReferencesToHostToolsSoThatTheyReadBack() {
        SecretRef ref = new SecretRef.OfHostTool("claude", "/mcpServers/a}b%/headers/X");

        assertThat(parse(SecretTemplate.of(ref).text()).references()).containsExactly(ref);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"${", "${secret:}", "${secret:UPPER}", "${env:}", "${env:a b}", "${secret:a", "${secret:../x}"})
    void refusesOtherReferences(String text) {
        assertThat(SecretTemplate.parse(text)).isInstanceOf(SecretTemplate.Parsed.Refused.class);
    }

    @Test
    void aSecretShowsNothing() {
        Secret secret = new Secret("s3cr3t");

        assertThat(secret.toString()).isEqualTo("***");
        assertThat(String.valueOf(Optional.of(secret))).doesNotContain("s3cr3t");
        assertThat(secret.hashCode()).isEqualTo(new Secret("other").hashCode());
        assertThat(secret).isEqualTo(new Secret("s3cr3t")).isNotEqualTo(new Secret("S3cr3t"));
        assertThatThrownBy(() -> new Secret("s3cr3t\0")).hasMessageNotContaining("s3cr3t");
    }

    private static SecretTemplate parse(String text) {
        return ((SecretTemplate.Parsed.Ok) SecretTemplate.parse(text)).template();
    }
}
