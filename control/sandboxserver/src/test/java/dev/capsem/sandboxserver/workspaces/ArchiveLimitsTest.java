package dev.capsem.sandboxserver.workspaces;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.capsem.sandboxserver.protocol.ApiProblem;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// The limits of the reader, to the byte.
class ArchiveLimitsTest {
    private static final int BLOCK = 512;

    private static byte[] header(String name, char type, String size) {
        byte[] header = new byte[BLOCK];
        put(header, 0, name);
        put(header, 100, "0000755");
        put(header, 124, size);
        // What stands behind the numbers that are read belongs to others.
        put(header, 108, "7000000");
        put(header, 136, "71234567012");
        header[156] = (byte) type;
        return header;
    }

    private static void put(byte[] header, int at, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        System.arraycopy(bytes, 0, header, at, bytes.length);
    }

    private static byte[] joined(byte[]... parts) {
        byte[] all = new byte[0];
        for (byte[] part : parts) {
            int at = all.length;
            all = Arrays.copyOf(all, at + part.length);
            System.arraycopy(part, 0, all, at, part.length);
        }
        return all;
    }

    @Test
    void aHeaderAtTheVeryEndIsRead() {
        assertThat(Archive.read(header("./d/", '5', "0")).files()).containsOnlyKeys("d");
        assertThat(Archive.read(Arrays.copyOf(header("./d/", '5', "0"), BLOCK - 1))
                        .files())
                .isEmpty();
    }

    @Test
    void aFileMayEndWhereTheArchiveEndsAndNotLater() {
        byte[] whole = joined(header("a", '0', "3"), "abc".getBytes(StandardCharsets.UTF_8));

        Archive archive = Archive.read(whole);

        assertThat(archive.files().values())
                .singleElement()
                .satisfies(file -> assertThat(archive.content(file)).containsExactly('a', 'b', 'c'));
        assertThat(archive.files().values())
                .singleElement()
                .satisfies(file -> assertThat(file.mode()).isEqualTo(0755));
        assertThatThrownBy(() -> Archive.read(Arrays.copyOf(whole, whole.length - 1)))
                .isInstanceOf(ApiProblem.class);
    }

    @ParameterizedTest
    @CsvSource({"1, 1", "511, 1", "512, 1", "513, 2", "1024, 2"})
    void contentsTakeWholeBlocks(int size, int blocks) {
        byte[] archive =
                joined(header("a", '0', Integer.toOctalString(size)), new byte[blocks * BLOCK], header("b", '5', "0"));

        assertThat(Archive.read(archive).files()).containsOnlyKeys("a", "b");
    }

    @ParameterizedTest
    @CsvSource({"8", "/", ":", "a", "-1", "77777777777"})
    void aSizeIsOctalAndFits(String size) {
        assertThatThrownBy(() -> Archive.read(header("a", '0', size))).isInstanceOf(ApiProblem.class);
    }

    @Test
    void aNameHasAtMost100BytesAndAPrefix155() {
        byte[] header = header("n".repeat(100), '5', "0");
        put(header, 257, "ustar\00000");
        put(header, 345, "p".repeat(155));

        assertThat(Archive.read(header).files()).containsOnlyKeys("p".repeat(155) + "/" + "n".repeat(100));
        // GNU's archives hold other things there.
        put(header, 257, "ustar  \0");
        assertThat(Archive.read(header).files()).containsOnlyKeys("n".repeat(100));
        put(header, 257, "other\00000");
        assertThat(Archive.read(header).files()).containsOnlyKeys("n".repeat(100));
        put(header, 257, "ustar\00000");
        Arrays.fill(header, 345, 500, (byte) 0);
        assertThat(Archive.read(header).files()).containsOnlyKeys("n".repeat(100));
    }

    @Test
    void aLongNameHasAtMost8192Bytes() {
        byte[] longest = joined(
                header("L", 'L', Integer.toOctalString(8_192)),
                "x".repeat(8_192).getBytes(StandardCharsets.UTF_8),
                header("short", '5', "0"));

        assertThat(Archive.read(longest).files()).containsOnlyKeys("x".repeat(8_192));
        assertThatThrownBy(
                        () -> Archive.read(joined(header("L", 'L', Integer.toOctalString(8_193)), new byte[9 * 1024])))
                .isInstanceOf(ApiProblem.class);
    }

    @Test
    void thereAreAtMost50000Files() {
        byte[] all = new byte[(Archive.FILES_MAX + 1) * BLOCK];
        for (int i = 0; i <= Archive.FILES_MAX; i++) {
            System.arraycopy(header("f" + i, '5', "0"), 0, all, i * BLOCK, BLOCK);
        }

        assertThat(Archive.read(Arrays.copyOf(all, Archive.FILES_MAX * BLOCK)).files())
                .hasSize(Archive.FILES_MAX);
        assertThatThrownBy(() -> Archive.read(all)).isInstanceOf(ApiProblem.class);
    }
}
