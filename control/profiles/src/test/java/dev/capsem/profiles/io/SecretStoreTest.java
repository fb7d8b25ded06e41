package dev.capsem.profiles.io;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.capsem.profiles.secret.Secret;
import dev.capsem.profiles.secret.SecretName;
import dev.capsem.profiles.secret.SecretRef;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SecretStoreTest {
    private static final SecretName TOKEN = new SecretName("github-token");

    @TempDir
    Path home;

    private Path file;
    private SecretStore store;

    @BeforeEach
    void open() {
        file = home.resolve("new").resolve("secrets.json");
        store = new SecretStore(file);
    }

    @Test
    void keepsSecretsByName() {
        store.set(TOKEN, new Secret("one"));
        store.set(new SecretName("a"), new Secret("line\nbreak \"quoted\""));
        store.set(TOKEN, new Secret("two"));

        assertThat(store.list()).containsExactly(new SecretName("a"), TOKEN);
        assertThat(new SecretStore(file).find(new SecretRef.Stored(TOKEN))).contains(new Secret("two"));
        assertThat(store.find(new SecretRef.Stored(new SecretName("a"))))
                .contains(new Secret("line\nbreak \"quoted\""));
    }

    @Test
    void forgetsWhatIsRemoved() throws IOException {
        store.set(TOKEN, new Secret("one-and-only"));

        assertThat(store.remove(TOKEN)).isTrue();
        assertThat(store.remove(TOKEN)).isFalse();
        assertThat(store.list()).isEmpty();
        assertThat(Files.readString(file)).doesNotContain("one-and-only");
    }

    @Test
    void onlyItsOwnerCanReadTheFile() throws IOException {
        store.set(TOKEN, new Secret("one"));

        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(home.resolve("new"))))
                .isEqualTo("rwx------");
    }

    @Test
    void doesNotUseAFileThatOthersCanRead() throws IOException {
        store.set(TOKEN, new Secret("one"));
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));

        assertThatThrownBy(() -> store.list())
                .isInstanceOfSatisfying(
                        ProfileException.class,
                        refused -> assertThat(refused.code()).isEqualTo(ProfileException.Code.UNSAFE_PERMISSIONS))
                .hasMessageContaining("chmod 600");
    }

    @Test
    void saysThatTheFileIsDamagedWithoutShowingIt() throws IOException {
        store.set(TOKEN, new Secret("one"));
        Files.writeString(file, "{\"github-token\": TOPSECRET");

        assertThatThrownBy(() -> store.set(TOKEN, new Secret("two")))
                .isInstanceOf(ProfileException.class)
                .hasMessageNotContaining("TOPSECRET");
        assertThat(Files.readString(file)).contains("TOPSECRET");
    }

    @Test
    void leavesNoOtherFileBehind() throws IOException {
        store.set(TOKEN, new Secret("one"));

        try (Stream<Path> files = Files.list(home.resolve("new"))) {
            assertThat(files.map(path -> String.valueOf(path.getFileName())))
                    .containsExactlyInAnyOrder("secrets.json", ".secrets.json.lock");
        }
    }

    @Test
    void losesNothingWhenManyWriteAtOnce() {
        List<SecretName> names = Stream.iterate(0, i -> i + 1)
                .limit(20)
                .map(i -> new SecretName("s" + i))
                .toList();
        try (ExecutorService tasks = Executors.newVirtualThreadPerTaskExecutor()) {
            names.forEach(name -> tasks.execute(() -> store.set(name, new Secret(name.value()))));
        }

        assertThat(store.list()).containsExactlyInAnyOrderElementsOf(names);
    }

    @Test
    void findsNothingWhereThereIsNothing() {
        assertThat(store.list()).isEmpty();
        assertThat(store.find(new SecretRef.Stored(TOKEN))).isEmpty();
        assertThat(file).doesNotExist();
    }
}
