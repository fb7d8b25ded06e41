package dev.capsem.profiles;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/// Compares text with a stored file. `-Dgolden.update` rewrites the file instead; the diff is then reviewed.
final class Golden {
    private Golden() {}

    static void check(String name, String actual) {
        Path file = Path.of("src", "test", "golden", name);
        try {
            if (System.getProperty("golden.update") != null) {
                Files.createDirectories(Path.of("src", "test", "golden"));
                Files.writeString(file, actual);
                return;
            }
            assertThat(file).as("missing golden file; run with -Dgolden.update").exists();
            assertThat(actual)
                    .as("%s; run with -Dgolden.update and review", file)
                    .isEqualTo(Files.readString(file));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
