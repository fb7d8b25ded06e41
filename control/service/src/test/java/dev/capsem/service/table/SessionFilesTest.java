package dev.capsem.service.table;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SessionFilesTest {
    @TempDir
    Path directory;

    @Test
    void whatAKilledProcessLeftGoesAndWhereItsLinksLeadStays() throws IOException {
        Path runtime = directory.resolve("0a");
        Path mine = Files.createDirectory(directory.resolve("mine"));
        Files.writeString(mine.resolve("file"), "mine");
        Files.createDirectories(runtime.resolve("vsock"));
        Files.writeString(Files.createDirectories(runtime.resolve("mcp/trust")).resolve("ca.pem"), "");
        Files.createSymbolicLink(runtime.resolve("mcp/link"), mine);

        SessionFiles.deleteRuntimeDir(runtime);

        assertThat(runtime).doesNotExist();
        assertThat(mine.resolve("file")).hasContent("mine");
    }
}
