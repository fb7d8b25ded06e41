package dev.capsem.policy.property;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.capsem.policy.Capgate;
import dev.capsem.policy.CompileOptions;
import dev.capsem.policy.diagnostic.Code;
import dev.capsem.policy.diagnostic.CompilationError;
import dev.capsem.source.json.JsonReader;
import dev.capsem.source.json.JsonReading;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/// Any bytes are an unreadable text (exit 3), a compilation error (exit 4) or a policy; never anything else.
class HostileInputTest {
    /// The gate asks the same questions every time; `-Dcapgate.seed=N` asks others.
    private static final long SEED = Long.getLong("capgate.seed", 20_261_115L);

    @Test
    void answersRandomBytesAndMutatedManifests() {
        Random random = new Random(SEED);
        byte[] valid = ("{\"name\":\"s\",\"version\":\"1\",\"serverCapabilities\":[\"clock:tzdata\"],\"parameters\":"
                        + "{\"r\":{\"type\":\"path\",\"default\":\"/a\"}},\"tools\":[{\"name\":\"t\",\"capabilities\":"
                        + "[\"fs:read:${r}/**\",\"net:connect:\\\"::1\\\":443\",\"assert:x:\\\"y: z\\\"\"]}]}")
                .getBytes(StandardCharsets.UTF_8);
        assertThat(ManifestFuzzTarget.feed(valid)).isEqualTo(ManifestFuzzTarget.Answer.COMPILED);
        for (int i = 0; i < 5_000; i++) {
            byte[] bytes = i % 4 == 0 ? new byte[random.nextInt(64)] : valid.clone();
            if (i % 4 == 0) {
                random.nextBytes(bytes);
            }
            for (int flips = random.nextInt(4); flips > 0 && bytes.length > 0; flips--) {
                bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
            }
            byte[] cut = i % 3 == 0 ? Arrays.copyOf(bytes, random.nextInt(bytes.length + 1)) : bytes;
            assertThat(ManifestFuzzTarget.feed(cut))
                    .as("seed %d, case %d", SEED, i)
                    .isNotNull();
        }
    }

    @Test
    void refusesFiftyMegabytesUnread() {
        byte[] huge = new byte[50 * 1024 * 1024];
        Arrays.fill(huge, (byte) '[');

        assertThat(ManifestFuzzTarget.feed(huge)).isEqualTo(ManifestFuzzTarget.Answer.UNREADABLE);
    }

    @Test
    void refusesMoreValuesThanItKeeps() {
        String many = "[" + "0,".repeat(JsonReader.VALUES_MAX) + "0]";

        assertThat(ManifestFuzzTarget.feed(many)).isEqualTo(ManifestFuzzTarget.Answer.UNREADABLE);
    }

    @Test
    void compilesAHundredThousandTools() {
        String tools = IntStream.range(0, 100_000)
                .mapToObj(i -> "{\"name\":\"t" + i + "\",\"capabilities\":[\"fs:read:/d" + i % 5_000 + "/**\"]}")
                .collect(Collectors.joining(","));

        assertThat(ManifestFuzzTarget.feed("{\"name\":\"s\",\"version\":\"1\",\"tools\":[" + tools + "]}"))
                .isEqualTo(ManifestFuzzTarget.Answer.COMPILED);
    }

    @Test
    void reportsAHundredOfAHundredThousandProblems() {
        String bad = "\"fs:read:x\",".repeat(100_000);
        String text = "{\"name\":\"s\",\"version\":\"1\",\"tools\":[{\"name\":\"t\",\"capabilities\":[" + bad + "1]}]}";
        JsonReading.Parsed parsed = (JsonReading.Parsed) JsonReader.read(text);

        CompilationError error = catchThrowableOfType(
                CompilationError.class, () -> Capgate.compilation(parsed.document(), CompileOptions.DEFAULT));

        assertThat(error.problems()).hasSize(100);
    }

    @Test
    void boundsDepthLengthAndSegments() {
        assertThat(ManifestFuzzTarget.feed("{\"a\":".repeat(1_000_000)))
                .isEqualTo(ManifestFuzzTarget.Answer.UNREADABLE);
        assertThat(ManifestFuzzTarget.feed("[".repeat(1_000_000))).isEqualTo(ManifestFuzzTarget.Answer.UNREADABLE);
        assertThat(ManifestFuzzTarget.feed(manifest("fs:read:/" + "a".repeat(1_000_000))))
                .isEqualTo(ManifestFuzzTarget.Answer.REFUSED);
        assertThat(ManifestFuzzTarget.feed(manifest("fs:read:" + "/a".repeat(1_000))))
                .isEqualTo(ManifestFuzzTarget.Answer.REFUSED);
        assertThat(ManifestFuzzTarget.feed(manifest("net:connect:" + "a.".repeat(2_000) + "com")))
                .isEqualTo(ManifestFuzzTarget.Answer.REFUSED);
        assertThat(ManifestFuzzTarget.feed(manifest("x".repeat(10_000_000))))
                .isEqualTo(ManifestFuzzTarget.Answer.REFUSED);
    }

    @Test
    void refusesDuplicateKeysAndLoneSurrogates() {
        JsonReading.Parsed parsed =
                (JsonReading.Parsed) JsonReader.read("{\"name\":\"s\",\"version\":\"1\",\"tools\":[],\"tools\":[]}");
        CompilationError error = catchThrowableOfType(
                CompilationError.class, () -> Capgate.compilation(parsed.document(), CompileOptions.DEFAULT));

        assertThat(error.code()).isEqualTo(Code.MANIFEST_DUPLICATE_KEY);
        assertThat(ManifestFuzzTarget.feed(manifest("fs:read:/\\ud800")))
                .isEqualTo(ManifestFuzzTarget.Answer.UNREADABLE);
    }

    private static String manifest(String capability) {
        return "{\"name\":\"s\",\"version\":\"1\",\"tools\":[{\"name\":\"t\",\"capabilities\":[\"" + capability
                + "\"]}]}";
    }
}
