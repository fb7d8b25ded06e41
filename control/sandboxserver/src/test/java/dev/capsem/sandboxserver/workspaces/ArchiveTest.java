package dev.capsem.sandboxserver.workspaces;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.capsem.sandboxserver.protocol.ApiProblem;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ArchiveTest {
    private static final int BLOCK = 512;

    private static void put(byte[] header, int at, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        System.arraycopy(bytes, 0, header, at, bytes.length);
    }

    private static byte[] entry(String name, char type, String content, String link) {
        byte[] header = new byte[BLOCK];
        byte[] data = content.getBytes(StandardCharsets.UTF_8);
        put(header, 0, name);
        put(header, 100, "0000644");
        put(header, 124, "%011o".formatted(data.length));
        header[156] = (byte) type;
        put(header, 157, link);
        put(header, 257, "ustar  ");
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        all.writeBytes(header);
        all.writeBytes(Arrays.copyOf(data, (data.length + BLOCK - 1) / BLOCK * BLOCK));
        return all.toByteArray();
    }

    private static byte[] tar(byte[]... entries) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (byte[] entry : entries) {
            all.writeBytes(entry);
        }
        all.writeBytes(Archive.EMPTY);
        return all.toByteArray();
    }

    private static Archive.File file(Archive archive, String path) {
        return Optional.ofNullable(archive.files().get(path)).orElseThrow();
    }

    @Test
    void readsFilesDirectoriesLinksAndLongNames() {
        String longName = "./" + "d/".repeat(80) + "f";
        Archive archive = Archive.read(tar(
                entry("./", '5', "", ""),
                entry("./a", '0', "one\n", ""),
                entry("./hard", '1', "", "./a"),
                entry("./link", '2', "", "a"),
                entry("././@LongLink", 'L', longName + "\0", ""),
                entry("cut off", '0', "deep", "")));

        assertThat(archive.files().keySet()).containsExactly("a", longName.substring(2), "hard", "link");
        assertThat(archive.content(file(archive, "hard"))).asString().isEqualTo("one\n");
        assertThat(file(archive, "link").link()).isEqualTo("a");
        assertThat(archive.content(file(archive, longName.substring(2))))
                .asString()
                .isEqualTo("deep");
    }

    @Test
    void anArchiveCannotClaimMoreThanItHolds() {
        byte[] lying = entry("a", '0', "x", "");
        put(lying, 124, "77777777777");

        assertThatThrownBy(() -> Archive.read(lying)).isInstanceOf(ApiProblem.class);
    }

    @Test
    void anyBytesAreReadOrRefused() {
        byte[] whole = tar(entry("a", '0', "content", ""), entry("b", '2', "", "a"));
        Random random = new Random(7);
        for (int i = 0; i < 2_000; i++) {
            byte[] bent = whole.clone();
            for (int j = 0; j < 4; j++) {
                bent[random.nextInt(bent.length)] = (byte) random.nextInt();
            }
            try {
                Archive archive = Archive.read(Arrays.copyOf(bent, random.nextInt(bent.length + 1)));
                archive.files().values().forEach(archive::content);
            } catch (ApiProblem e) {
                assertThat(e.code()).isEqualTo(ApiProblem.Code.FILE_FAILED);
            }
        }
    }

    @Test
    void aDiffListsEveryChangeAndShowsText() {
        Archive before = Archive.read(tar(entry("a", '0', "one\n", ""), entry("gone", '0', "x\n", "")));
        Archive after = Archive.read(tar(entry("a", '0', "one\ntwo\n", ""), entry("bin", '0', "\0", "")));

        WorkspaceDiff diff = WorkspaceDiff.of(before, after);

        assertThat(diff.changes())
                .containsExactly(
                        new WorkspaceDiff.Change("a", "modified", 8),
                        new WorkspaceDiff.Change("bin", "added", 1),
                        new WorkspaceDiff.Change("gone", "removed", 2));
        assertThat(diff.unified())
                .contains("+++ b/a", "+two\n", "--- a/gone", "-x\n")
                .doesNotContain("bin");
    }
}
