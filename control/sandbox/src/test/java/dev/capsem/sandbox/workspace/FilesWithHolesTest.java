package dev.capsem.sandbox.workspace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.capsem.sandbox.workspace.tree.Anchor;
import dev.capsem.sandbox.workspace.tree.GuestContents;
import dev.capsem.sandbox.workspace.tree.SparseOutput;
import java.io.IOException;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A guest makes files of any size that take no room; nobody reads them for hours, and they fill no disk of the host.
class FilesWithHolesTest {
    private static final long TEBIBYTE = 1L << 40;

    @TempDir
    Path root;

    private ProjectFixture fixture;

    @BeforeEach
    void makeFixture() throws IOException {
        fixture = new ProjectFixture(root);
    }

    @Test
    void aTebibyteOfNothingIsNamedAndNotRead() throws IOException {
        fixture.original("a.txt", "one\n").recorded().changed("a.txt", "two\n");
        hole("big", TEBIBYTE);

        ProjectDiff diff = fixture.diff();
        ApplyOutcome outcome = fixture.apply();

        assertThat(diff.files())
                .filteredOn(file -> file.change().path().endsWith("big"))
                .singleElement()
                .satisfies(file -> assertThat(file.note()).contains("too large to read"));
        assertThat(outcome.applied()).containsExactly(Path.of("a.txt"));
        assertThat(outcome.failed())
                .singleElement()
                .satisfies(problem -> assertThat(problem.reason())
                        .contains("larger than what is left of the 16 GiB", "name the paths you want"));
        assertThat(fixture.project).isDirectoryNotContaining("glob:**big").isDirectoryNotContaining("glob:**capsem*");
    }

    @Test
    void manyFilesTogetherAreNotReadWithoutEndEither() throws IOException {
        fixture.changed("a", "12345").changed("b", "12345").changed("c", "1");
        try (Anchor upper = Anchor.root(fixture.upper)) {
            var guest = new GuestContents(upper, 9);

            String first = guest.hash(Path.of("a"));

            assertThatThrownBy(() -> guest.hash(Path.of("b"))).isInstanceOf(GuestContents.TooMuch.class);
            assertThatThrownBy(() -> guest.bytes(Path.of("b"), 100)).isInstanceOf(GuestContents.TooMuch.class);
            assertThat(guest.hash(Path.of("c"))).isNotEqualTo(first);
            assertThat(guest.bytes(Path.of("a"), 100)).as("counted once").isPresent();
        }
    }

    @Test
    void aFileThatGrowsBetweenTwoReadsIsNotReadAgain() throws IOException {
        fixture.changed("a", "12345");
        try (Anchor upper = Anchor.root(fixture.upper)) {
            var guest = new GuestContents(upper);
            guest.hash(Path.of("a"));
            hole("a", TEBIBYTE);

            try (Anchor file = upper.descend(Path.of("a")).orElseThrow()) {
                assertThatThrownBy(() -> guest.copy(Path.of("a"), file, OutputStream.nullOutputStream()))
                        .hasMessageContaining("changed in the sandbox while it was read");
            }
        }
    }

    @Test
    void holesStayHoles() throws IOException {
        var written = new ArrayList<Integer>();
        Path file = root.resolve("file");
        byte[] text = "text".getBytes(StandardCharsets.US_ASCII);

        try (var out = new SparseOutput(counted(file, written))) {
            out.write(new byte[1 << 20]);
            out.write(text);
            out.write(0);
            out.write(new byte[1 << 20]);
        }

        assertThat(written).containsExactly(4, 1);
        byte[] content = Files.readAllBytes(file);
        assertThat(content).hasSize((2 << 20) + 5).containsSequence(0, 't', 'e', 'x', 't', 0);
        assertThat(content[1 << 20]).isEqualTo((byte) 't');
    }

    @Test
    void whatComesHomeIsWhatWasThere() throws IOException {
        fixture.recorded();
        hole("holes", 3 << 20);
        try (var file = new RandomAccessFile(fixture.upper.resolve("holes").toFile(), "rw")) {
            file.seek(1 << 20);
            file.writeBytes("middle");
        }
        fixture.changed("empty", "");

        assertThat(fixture.apply().failed()).isEmpty();

        assertThat(fixture.project.resolve("holes")).hasSameBinaryContentAs(fixture.upper.resolve("holes"));
        assertThat(fixture.project.resolve("empty")).isEmptyFile();
    }

    private void hole(String name, long size) throws IOException {
        try (var file = new RandomAccessFile(fixture.upper.resolve(name).toFile(), "rw")) {
            file.setLength(size);
        }
    }

    /// How much each write holds.
    private static SeekableByteChannel counted(Path path, List<Integer> written) throws IOException {
        SeekableByteChannel file = Files.newByteChannel(path, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        return new SeekableByteChannel() {
            @Override
            public int write(ByteBuffer bytes) throws IOException {
                written.add(bytes.remaining());
                return file.write(bytes);
            }

            @Override
            public int read(ByteBuffer bytes) throws IOException {
                return file.read(bytes);
            }

            @Override
            public long position() throws IOException {
                return file.position();
            }

            @Override
            public SeekableByteChannel position(long position) throws IOException {
                file.position(position);
                return this;
            }

            @Override
            public long size() throws IOException {
                return file.size();
            }

            @Override
            public SeekableByteChannel truncate(long size) throws IOException {
                file.truncate(size);
                return this;
            }

            @Override
            public boolean isOpen() {
                return file.isOpen();
            }

            @Override
            public void close() throws IOException {
                file.close();
            }
        };
    }
}
