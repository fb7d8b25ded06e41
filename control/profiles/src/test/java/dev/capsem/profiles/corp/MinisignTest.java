package dev.capsem.profiles.corp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.profiles.corp.Minisign.Verification;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MinisignTest {
    /// A published key and its signatures of the four bytes `test`, made by minisign itself.
    private static final VerifyingKey PUBLISHED = VerifyingKey.parse(
                    "RWQf6LRCGA9i53mlYecO4IzT51TGPpvWucNSCh1CBM0QTaLn73Y7GFO3")
            .orElseThrow();

    private static final String PREHASHED = """
            untrusted comment: signature from minisign secret key
            RUQf6LRCGA9i559r3g7V1qNyJDApGip8MfqcadIgT9CuhV3EMhHoN1mGTkUidF/z7SrlQgXdy8ofjb7bNJJylDOocrCo8KLzZwo=
            trusted comment: timestamp:1633700835\tfile:test\tprehashed
            wLMDjy9FLAuxZ3q4NlEvkgtyhrr0gtTu6KC4KBJdITbbOeAi1zBIYo0v4iTgt8jJpIidRJnp94ABQkJAgAooBQ==
            """;

    private static final String LEGACY = """
            untrusted comment: signature from minisign secret key
            RWQf6LRCGA9i59SLOFxz6NxvASXDJeRtuZykwQepbDEGt87ig1BNpWaVWuNrm73YiIiJbq71Wi+dP9eKL8OC351vwIasSSbXxwA=
            trusted comment: timestamp:1555779966\tfile:test
            QtKMXWyYcwdpZAlPF7tE2ENJkRd1ujvKjlj1m9RtHTBnZPa5WKU5uWRs5GoP5M/VqE81QFuMKI5k/SfNQUaOAA==
            """;

    private static final byte[] TEST = bytes("test");
    private static final SigningKey OURS = SigningKey.generate(new SecureRandom());

    @Test
    void acceptsWhatMinisignSignedOverADigest() {
        assertThat(Minisign.verify(TEST, PREHASHED, List.of(PUBLISHED)))
                .isEqualTo(new Verification.Trusted(PUBLISHED, "timestamp:1633700835\tfile:test\tprehashed"));
    }

    @Test
    void acceptsWhatMinisignSignedOverTheMessage() {
        assertThat(Minisign.verify(TEST, LEGACY, List.of(PUBLISHED))).isInstanceOf(Verification.Trusted.class);
    }

    @Test
    void refusesAChangedPayload() {
        assertThat(Minisign.verify(bytes("Test"), PREHASHED, List.of(PUBLISHED)))
                .isEqualTo(
                        new Verification.Refused("the signature does not fit: the payload was changed after signing"));
        assertThat(Minisign.verify(bytes("Test"), LEGACY, List.of(PUBLISHED))).isInstanceOf(Verification.Refused.class);
    }

    @Test
    void refusesAChangedTrustedComment() {
        String changed = PREHASHED.replace("file:test", "file:evil");

        assertThat(Minisign.verify(TEST, changed, List.of(PUBLISHED)))
                .isEqualTo(new Verification.Refused("the signature's trusted comment was changed after signing"));
    }

    @Test
    void refusesAKeyThatIsNotTrusted() {
        assertThat(Minisign.verify(TEST, PREHASHED, List.of(OURS.verifyingKey())))
                .isEqualTo(new Verification.Refused("it is signed with a key that this machine does not trust"));
        assertThat(Minisign.verify(TEST, PREHASHED, List.of())).isInstanceOf(Verification.Refused.class);
    }

    /// The id in a signature is anybody's claim.
    @Test
    void refusesAnotherKeyUnderATrustedId() {
        String ours = OURS.sign(TEST, "c");
        byte[] blob = Base64.getDecoder().decode(ours.lines().toList().get(1));
        byte[] theirs = Base64.getDecoder().decode(PREHASHED.lines().toList().get(1));
        System.arraycopy(theirs, 2, blob, 2, 8);
        String forged =
                ours.replace(ours.lines().toList().get(1), Base64.getEncoder().encodeToString(blob));

        assertThat(Minisign.verify(TEST, forged, List.of(PUBLISHED))).isInstanceOf(Verification.Refused.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "\n\n\n\n", "untrusted comment: x\n!!\ntrusted comment: y\n??\n", "a\nb\nc\nd"})
    void refusesWhatIsNoSignature(String text) {
        assertThat(Minisign.verify(TEST, text, List.of(PUBLISHED)))
                .isEqualTo(new Verification.Refused("the signature file is not minisign's"));
    }

    @Test
    void everyFlippedCharacterOfASignatureIsRefused() {
        String[] lines = PREHASHED.split("\n");
        for (int line : new int[] {1, 2, 3}) {
            for (int at = line == 2 ? "trusted comment: ".length() : 0; at < lines[line].length(); at++) {
                String[] changed = lines.clone();
                char other = lines[line].charAt(at) == 'A' ? 'B' : 'A';
                changed[line] = lines[line].substring(0, at) + other + lines[line].substring(at + 1);

                assertThat(Minisign.verify(TEST, String.join("\n", changed) + "\n", List.of(PUBLISHED)))
                        .as("line %d, character %d", line, at)
                        .isInstanceOf(Verification.Refused.class);
            }
        }
    }

    @Test
    void verifiesWhatItSigns() {
        byte[] payload = bytes("id = \"acme\"\n");

        assertThat(Minisign.verify(payload, OURS.sign(payload, "revision 1"), List.of(OURS.verifyingKey())))
                .isEqualTo(new Verification.Trusted(OURS.verifyingKey(), "revision 1"));
        assertThat(Minisign.verify(payload, OURS.signLegacy(payload, "revision 1"), List.of(OURS.verifyingKey())))
                .isInstanceOf(Verification.Trusted.class);
    }

    @Test
    void keysSurviveTheirFiles() {
        SigningKey.Parsed parsed = SigningKey.parse(OURS.encode());

        assertThat(parsed).isInstanceOf(SigningKey.Parsed.Ok.class);
        SigningKey again = ((SigningKey.Parsed.Ok) parsed).key();
        assertThat(again.verifyingKey()).isEqualTo(OURS.verifyingKey());
        assertThat(VerifyingKey.parse(OURS.verifyingKey().encode())).contains(OURS.verifyingKey());
        assertThat(Minisign.verify(TEST, again.sign(TEST, "c"), List.of(OURS.verifyingKey())))
                .isInstanceOf(Verification.Trusted.class);
    }

    @Test
    void refusesADamagedSecretKeyAndOneWithAPassword() {
        byte[] blob = Base64.getDecoder().decode(OURS.encode().lines().toList().get(1));
        blob[80] ^= 1;
        assertThat(SigningKey.parse(Base64.getEncoder().encodeToString(blob)))
                .isEqualTo(new SigningKey.Parsed.Refused("the secret key is damaged: its checksum does not fit"));

        blob[2] = 'S';
        blob[3] = 'c';
        assertThat(SigningKey.parse(Base64.getEncoder().encodeToString(blob)).toString())
                .contains("has a password", "minisign -C -W");
        assertThat(SigningKey.parse("nonsense")).isInstanceOf(SigningKey.Parsed.Refused.class);
    }

    @Test
    void aSecretKeyDoesNotPrintItself() {
        assertThat(OURS.toString()).isEqualTo("SigningKey[***]");
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
