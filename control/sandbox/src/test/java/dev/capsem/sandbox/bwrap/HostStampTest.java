package dev.capsem.sandbox.bwrap;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class HostStampTest {
    @TempDir
    private Path directory;

    private final AtomicInteger asked = new AtomicInteger();

    @Test
    void asksAgainOnlyWhenAFactChanged() throws IOException {
        Path file = Files.writeString(directory.resolve("file"), "a");
        Path missing = directory.resolve("missing");
        HostStamp stamp =
                new HostStamp(() -> List.of("s" + asked.incrementAndGet(), file.toString(), missing.toString()));
        String first = stamp.get();
        assertThat(stamp.get()).isEqualTo(first);

        Files.setLastModifiedTime(file, FileTime.fromMillis(0));
        String second = stamp.get();
        assertThat(second).isNotEqualTo(first);
        assertThat(stamp.get()).isEqualTo(second);

        Files.writeString(missing, "there");
        assertThat(stamp.get()).isNotEqualTo(second);
    }
}
