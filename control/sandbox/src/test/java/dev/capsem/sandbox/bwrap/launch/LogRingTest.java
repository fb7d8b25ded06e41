package dev.capsem.sandbox.bwrap.launch;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LogRingTest {
    @TempDir
    private Path directory;

    @Test
    void whatAProgramSaysIsAddedToWhatIsThere() throws IOException {
        Path log = Files.writeString(directory.resolve("mcp-x.log"), "before\n");

        LogRing.copy(text("after\n"), log);

        assertThat(log).hasContent("before\nafter\n");
    }

    @Test
    void aFloodLeavesItsEnd() throws IOException {
        Path log = directory.resolve("mcp-x.log");

        LogRing.copy(text("a line of a flood\n".repeat(1 << 20) + "the last\n"), log);

        assertThat(Files.size(log)).isBetween(1L, (long) LogRing.BYTES_MAX);
        assertThat(Files.readString(log)).endsWith("a line of a flood\nthe last\n");
    }

    @Test
    void withoutAFileItIsReadAllTheSame() throws IOException {
        InputStream said = text("x".repeat(100_000));

        LogRing.copy(said, directory.resolve("not/there"));

        assertThat(said.read()).isEqualTo(-1);
    }

    private static InputStream text(String text) {
        return new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8));
    }
}
