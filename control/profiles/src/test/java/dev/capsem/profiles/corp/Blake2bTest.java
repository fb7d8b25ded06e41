package dev.capsem.profiles.corp;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class Blake2bTest {
    @Test
    void digestsTheExampleOfRfc7693() {
        byte[] digest = Blake2b.digest("abc".getBytes(StandardCharsets.US_ASCII), 64);

        assertThat(HexFormat.of().formatHex(digest))
                .isEqualTo("ba80a53f981c4d0d6a2797b69f12f6e94c212f14685ac4b74b12bb6fdbffa2d1"
                        + "7d87c5392aab792dc252d5de4533cc9518d38aa8dbf1925ab92386edd4009923");
    }

    /// Lengths around the block of 128 bytes; expected values from another implementation (CPython's hashlib), for
    /// messages of the bytes 0, 1, 2, … modulo 251.
    @ParameterizedTest
    @CsvSource({
        "0, 32, 0e5751c026e543b2e8ab2eb06099daa1d1e5df47778f7787faab45cdf12fe3a8",
        "1, 32, 03170a2e7597b7b7e3d84c05391d139a62b157e78786d8c082f29dcf4c111314",
        "127, 32, f2fe67ff342e21b8f45e8f2e0bcd1d9243245d50ee6c78042e9c491388791c72",
        "128, 32, c3582f71ebb2be66fa5dd750f80baae97554f3b015663c8be377cfcb2488c1d1",
        "129, 32, f7f3c46ba2564ff4c4c162da1f5b605f9f1c4aa6a20652a9f9a337c1a2f5b9c9",
        "255, 32, d9ef0fc521b4266d16df662bec231bc2ec3989e7adeaf63169c295dc239dbbea",
        "256, 32, 582f782226018ec33076bd8d1c42413530ac7e1126260ffc0f306ba3befc3f24",
        "257, 16, b77b55d3dddcc45c6a52774565cd0dd6",
        "10000, 32, cf9bb8c04de5e1de7a6c56a27d66482d09085a97b6020bcf3b2bbaba3b922898",
        "128, 64, 2319e3789c47e2daa5fe807f61bec2a1a6537fa03f19ff32e87eecbfd64b7e0e8ccff439ac333b040f19b0c4ddd11a61e24ac1fe0f10a039806c5dcc0da3d115"
    })
    void agreesWithAnotherImplementation(int length, int digestBytes, String expected) {
        byte[] message = new byte[length];
        for (int i = 0; i < length; i++) {
            message[i] = (byte) (i % 251);
        }

        assertThat(HexFormat.of().formatHex(Blake2b.digest(message, digestBytes)))
                .isEqualTo(expected);
    }
}
