package dev.capsem.daemon.io;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.wire.HomeLayout;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StaleDirectoriesTest {
    private final Instant now = Instant.now();

    @TempDir
    Path directory;

    private Path temp;
    private Path proc;

    @BeforeEach
    void prepare() throws IOException {
        temp = Files.createDirectory(directory.resolve("t"));
        proc = Files.createDirectories(directory.resolve("proc"));
        Files.createDirectories(proc.resolve("net"));
        sockets("");
    }

    @Test
    void whatAHomeThatIsGoneLeftIsRemovedAndAHomeThatIsThereKeepsIts() throws IOException {
        Path own = create("own");
        Path other = create("other");
        Path gone = create("gone");
        Files.createDirectories(gone.resolve("0a/vsock"));
        Files.createDirectory(directory.resolve("precious"));
        Files.writeString(directory.resolve("precious/file"), "mine");
        Files.createSymbolicLink(gone.resolve("0a/link"), directory.resolve("precious"));
        forget("gone");
        forget("own");

        remove(own);

        assertThat(gone).doesNotExist();
        assertThat(own).as("in use by whoever asks").exists();
        assertThat(other).exists();
        assertThat(directory.resolve("precious/file")).hasContent("mine");
    }

    @Test
    void whatSomeProcessUsesStays() throws IOException {
        Path bound = create("bound");
        Path open = create("open");
        Path named = create("named");
        Path entered = create("entered");
        for (String home : List.of("bound", "open", "named", "entered")) {
            forget(home);
        }
        sockets("0000000000000000: 00000002 00000000 00010000 0001 01 27 " + bound + "/0a/vsock/5002\n");
        Path process = proc.resolve("17");
        Files.createDirectories(process.resolve("fd"));
        Files.createSymbolicLink(process.resolve("fd/3"), open.resolve("file"));
        Files.createSymbolicLink(process.resolve("cwd"), entered);
        Files.writeString(process.resolve("cmdline"), "bwrap\0--bind\0" + named + "/0a/vsock\0/run\0");

        remove(create("own"));

        assertThat(List.of(bound, open, named, entered))
                .allSatisfy(used -> assertThat(used).exists());
    }

    @Test
    void whatIsNotOursToRemoveStays() throws IOException {
        Path link = Files.createSymbolicLink(
                temp.resolve("cs-0123456789ab"), Files.createDirectory(directory.resolve("x")));
        Path file = Files.writeString(temp.resolve("cs-0123456789ac"), "");
        Path otherName = Files.createDirectory(temp.resolve("cs-no"));
        Path unknown = Files.createDirectory(temp.resolve("cs-0123456789ad"));
        Path young = Files.createDirectory(temp.resolve("capsem-warm-up123"));

        remove(create("own"));

        assertThat(List.of(link, file, otherName, unknown, young))
                .allSatisfy(left -> assertThat(left).exists());
    }

    @Test
    void whatRestsForLongIsRemoved() throws IOException {
        Path unknown = old(Files.createDirectory(temp.resolve("cs-0123456789ad")), Duration.ofDays(2));
        Path warmUp = Files.createDirectory(temp.resolve("capsem-warm-up123"));
        Files.writeString(warmUp.resolve("session.db"), "");
        old(warmUp, Duration.ofHours(2));

        remove(create("own"));

        assertThat(unknown).doesNotExist();
        assertThat(warmUp).doesNotExist();
    }

    @Test
    void aListOfProcessesThatCannotBeHadSavesAll() throws IOException {
        Path gone = create("gone");
        forget("gone");
        Files.delete(proc.resolve("net/unix"));

        remove(create("own"));

        assertThat(gone).exists();
    }

    private void remove(Path own) {
        new StaleDirectories(temp, proc, () -> now).remove(own);
    }

    private void sockets(String lines) throws IOException {
        Files.writeString(proc.resolve("net/unix"), "Num RefCount Protocol Flags Type St Inode Path\n" + lines);
    }

    private Path create(String home) throws IOException {
        HomeLayout layout =
                HomeLayout.of(Map.of("CAPSEM_HOME", directory.resolve(home).toString()), directory, temp);
        return PrivateDirectories.create(layout, new Random(1)).shortDir();
    }

    private void forget(String home) throws IOException {
        Files.move(directory.resolve(home), directory.resolve(home + "-moved"));
    }

    private Path old(Path path, Duration age) throws IOException {
        return Files.setLastModifiedTime(path, FileTime.from(now.minus(age)));
    }
}
