package dev.capsem.network.dns.io;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ResolverFilesTest {
    private static final long LATER = 3_000_000_000L;

    @TempDir
    private Path directory;

    private final AtomicLong nanos = new AtomicLong();

    @Test
    void readsAFileAgainWhenItChanged() throws IOException {
        Path file = Files.writeString(directory.resolve("resolv.conf"), "one");
        Supplier<String> text = ResolverFiles.following(file, content -> content, nanos::get);

        Files.writeString(file, "two");
        Files.setLastModifiedTime(file, FileTime.fromMillis(1_000));

        assertThat(text.get()).isEqualTo("one");
        nanos.addAndGet(LATER);
        assertThat(text.get()).isEqualTo("two");
    }

    @Test
    void aMissingFileIsEmptyUntilItIsThere() throws IOException {
        Path file = directory.resolve("hosts");
        Supplier<String> text = ResolverFiles.following(file, content -> content, nanos::get);

        assertThat(text.get()).isEmpty();
        Files.writeString(file, "there");
        nanos.addAndGet(LATER);
        assertThat(text.get()).isEqualTo("there");
    }
}
