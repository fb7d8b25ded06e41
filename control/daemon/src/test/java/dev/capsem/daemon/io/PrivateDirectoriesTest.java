package dev.capsem.daemon.io;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.wire.HomeLayout;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PrivateDirectoriesTest {
    @TempDir
    Path directory;

    private Path temp;

    @BeforeEach
    void prepare() throws IOException {
        temp = Files.createDirectory(directory.resolve("t"));
    }

    @Test
    void theUsualNameIsKeptWhereItIsFree() throws IOException {
        HomeLayout layout = create("home");

        assertThat(create("home")).isEqualTo(layout);
        assertThat(layout.shortNameFile()).doesNotExist();
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(layout.shortDir())))
                .isEqualTo("rwx------");
    }

    @Test
    void whoTakesTheNameFirstKeepsNobodyFromStarting() throws IOException {
        Path taken = Files.writeString(layout("home").shortDir(), "a file of somebody else");

        HomeLayout layout = create("home");

        assertThat(layout.shortDir()).isNotEqualTo(taken).hasParent(temp).isDirectory();
        assertThat(layout.shortDir()).isEqualTo(layout("home").shortDir());
        assertThat(create("home").shortDir()).isEqualTo(layout.shortDir());
        assertThat(taken).hasContent("a file of somebody else");
    }

    @Test
    void aSocketThatDoesNotFitGoesWhereTheShortDirectoryIs() throws IOException {
        String deep = "d".repeat(120);
        HomeLayout before = layout(deep);
        Files.writeString(before.shortDir(), "a file of somebody else");

        HomeLayout layout = create(deep);

        assertThat(layout.serviceSocket()).hasParentRaw(layout.shortDir());
        assertThat(layout.serviceSocket()).isEqualTo(layout(deep).serviceSocket());
        assertThat(layout.serviceSocket().getFileName())
                .isEqualTo(before.serviceSocket().getFileName());
    }

    private HomeLayout create(String home) throws IOException {
        return PrivateDirectories.create(layout(home), new Random(1));
    }

    private HomeLayout layout(String home) {
        return HomeLayout.of(Map.of("CAPSEM_HOME", directory.resolve(home).toString()), directory, temp);
    }
}
