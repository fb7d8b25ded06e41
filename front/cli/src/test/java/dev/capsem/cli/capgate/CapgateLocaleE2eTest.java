package dev.capsem.cli.capgate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.policy.Capgate;
import dev.capsem.source.json.JsonReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The program in a JVM of its own: its bytes depend on no locale and no encoding of the machine.
@Tag("sockets")
class CapgateLocaleE2eTest {
    private static final String MANIFEST = "{\"name\":\"sérver\",\"version\":\"1\",\"tools\":[{\"name\":\"t\","
            + "\"capabilities\":[\"fs:read:/wörk/I/**\",\"fs:read:/wörk/i/**\",\"env:inject:API_ID\","
            + "\"net:connect:INFO.example:443\"]}]}";

    @TempDir
    private Path directory = Path.of("/");

    private byte[] run(Map<String, String> environment, List<String> flags) throws IOException, InterruptedException {
        Path manifest = Files.writeString(directory.resolve("manifest.json"), MANIFEST);
        Path output = directory.resolve("output");
        ProcessBuilder builder = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        String.join(":", placeOf(CapgateMain.class), placeOf(Capgate.class), placeOf(JsonReader.class)))
                .redirectOutput(output.toFile())
                .redirectError(ProcessBuilder.Redirect.INHERIT);
        builder.command().addAll(flags);
        builder.command()
                .addAll(List.of(CapgateMain.class.getName(), "compile", manifest.toString(), "--pretty", "--coverage"));
        builder.environment().putAll(environment);
        assertThat(builder.start().waitFor()).isZero();
        return Files.readAllBytes(output);
    }

    @Test
    void printsTheSameBytesEverywhere() throws IOException, InterruptedException {
        byte[] posix = run(Map.of("LC_ALL", "POSIX"), List.of());
        byte[] turkish = run(Map.of("LC_ALL", "C"), List.of("-Duser.language=tr", "-Duser.country=TR"));
        byte[] latin =
                run(Map.of("LC_ALL", "C"), List.of("-Dfile.encoding=ISO-8859-1", "-Dstdout.encoding=ISO-8859-1"));

        assertThat(turkish).isEqualTo(posix);
        assertThat(latin).isEqualTo(posix);
        assertThat(new String(posix, StandardCharsets.UTF_8)).contains("/wörk/I");
    }

    /// Wherever this build put its classes.
    private static String placeOf(Class<?> type) {
        return type.getProtectionDomain().getCodeSource().getLocation().getPath();
    }
}
