package dev.capsem.profiles.io;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.capsem.profiles.secret.Keyring;
import dev.capsem.profiles.secret.Secret;
import dev.capsem.profiles.secret.SecretName;
import dev.capsem.profiles.secret.SecretRef;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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
                    .containsExactlyInAnyOrder("secrets.json", ".secrets.json.lock", "secrets.key");
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

    @Test
    void keepsNothingInClear() throws IOException {
        store.set(TOKEN, new Secret("one-and-only"));

        assertThat(Files.readString(file)).doesNotContain("one-and-only").doesNotContain("github-token");
        assertThat(store.isEncrypted()).isTrue();
        assertThat(store.keyPlace()).isEqualTo("file");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file.resolveSibling("secrets.key"))))
                .isEqualTo("rw-------");
    }

    @Test
    void aFileFromBeforeIsReadAndThenEncrypted() throws IOException {
        inClear("{\"github-token\": \"one-and-only\"}");

        assertThat(store.find(new SecretRef.Stored(TOKEN))).contains(new Secret("one-and-only"));
        assertThat(store.isEncrypted()).isFalse();

        assertThat(store.seal()).isTrue();

        assertThat(store.seal()).isFalse();
        assertThat(Files.readString(file)).doesNotContain("one-and-only");
        assertThat(new SecretStore(file).find(new SecretRef.Stored(TOKEN))).contains(new Secret("one-and-only"));
    }

    @Test
    void withoutItsKeyNothingIsReadAndNothingLost() throws IOException {
        store.set(TOKEN, new Secret("one"));
        Path key = file.resolveSibling("secrets.key");
        String kept = Files.readString(key);
        Files.delete(key);

        assertThatThrownBy(() -> store.list()).hasMessageContaining("the key of the secrets is not in");
        assertThatThrownBy(() -> store.set(TOKEN, new Secret("two"))).isInstanceOf(ProfileException.class);

        Files.writeString(key, kept);
        Files.setPosixFilePermissions(key, PosixFilePermissions.fromString("rw-------"));
        assertThat(store.find(new SecretRef.Stored(TOKEN))).contains(new Secret("one"));
    }

    @Test
    void anotherKeyOrAChangedFileIsNoticed() throws IOException {
        store.set(TOKEN, new Secret("one"));
        String text = Files.readString(file);
        int at = text.indexOf("\"sealed\"") + 14;
        Files.writeString(file, text.substring(0, at) + (text.charAt(at) == 'A' ? 'B' : 'A') + text.substring(at + 1));

        assertThatThrownBy(() -> store.list()).hasMessageContaining("not a file of secrets any more");
    }

    @Test
    void aKeyThatOthersCanReadIsNotUsed() throws IOException {
        store.set(TOKEN, new Secret("one"));
        Files.setPosixFilePermissions(file.resolveSibling("secrets.key"), PosixFilePermissions.fromString("rw-r--r--"));

        assertThatThrownBy(() -> store.list()).hasMessageContaining("chmod 600");
    }

    @Test
    void theKeyMovesToTheKeyringAndBack() {
        FakeKeyring keyring = new FakeKeyring();
        SecretStore inKeyring = new SecretStore(file, keyring);
        inKeyring.set(TOKEN, new Secret("one"));

        assertThat(inKeyring.moveKey("keyring")).isTrue();

        assertThat(file.resolveSibling("secrets.key")).doesNotExist();
        assertThat(inKeyring.keyPlace()).isEqualTo("keyring");
        assertThat(inKeyring.find(new SecretRef.Stored(TOKEN))).contains(new Secret("one"));
        inKeyring.set(new SecretName("b"), new Secret("two"));
        assertThat(inKeyring.moveKey("file")).isTrue();
        assertThat(keyring.kept).isEmpty();
        assertThat(store.list()).hasSize(2);
        assertThat(inKeyring.moveKey("moon")).isFalse();
    }

    @Test
    void whereNoKeyringOpensTheKeyStaysInItsFile() {
        store.set(TOKEN, new Secret("one"));

        assertThatThrownBy(() -> store.moveKey("keyring")).hasMessageContaining("no keyring that opens");

        assertThat(store.find(new SecretRef.Stored(TOKEN))).contains(new Secret("one"));
    }

    private void inClear(String json) throws IOException {
        Files.createDirectories(file.resolveSibling(""));
        Files.writeString(file, json);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
    }

    private static final class FakeKeyring implements Keyring {
        private final Map<String, Secret> kept = new HashMap<>();

        @Override
        public Optional<Secret> find(String service, String account) {
            return Optional.ofNullable(kept.get(service + "/" + account));
        }

        @Override
        public boolean keep(String service, String account, Secret secret) {
            kept.put(service + "/" + account, secret);
            return true;
        }

        @Override
        public void forget(String service, String account) {
            kept.remove(service + "/" + account);
        }
    }
}
