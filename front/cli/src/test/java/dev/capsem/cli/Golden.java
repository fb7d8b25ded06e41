package dev.capsem.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/// Compares text with a stored file. `-Dgolden.update` rewrites the file instead; the diff is then reviewed.
public final class Golden {
    private Golden() {}

    public static void check(String name, String actual) {
        check(Path.of("src/test/resources/golden").resolve(name), actual);
    }

    public static void check(Path file, String actual) {
        try {
            if (System.getProperty("golden.update") != null) {
                Files.createDirectories(file.toAbsolutePath().getParent());
                Files.writeString(file, actual);
                return;
            }
            assertThat(file).as("missing golden file; run with -Dgolden.update").exists();
            assertThat(actual)
                    .as("%s; run with -Dgolden.update and review", file)
                    .isEqualTo(Files.readString(file));
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }
}
