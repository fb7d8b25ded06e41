package dev.capsem.profiles.io;

import dev.capsem.profiles.secret.Keyring;
import dev.capsem.profiles.secret.Secret;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.Locale;
import java.util.Optional;

/// The key of a store: in a file of its own that only its owner can read, or in the account's keyring.
final class StoreKey {
    static final int BYTES = 32;

    private static final String SERVICE = "capsem-secrets";

    private final Path file;
    private final Keyring keyring;

    /// Where a key is.
    enum Kept {
        FILE,
        KEYRING;

        String wireName() {
            return name().toLowerCase(Locale.ROOT);
        }

        static Optional<Kept> named(String name) {
            return java.util.Arrays.stream(values())
                    .filter(kept -> kept.wireName().equals(name))
                    .findFirst();
        }
    }

    /// @param store whose key this is
    StoreKey(Path store, Keyring keyring) {
        this.file = store.resolveSibling("secrets.key");
        this.keyring = keyring;
    }

    byte[] find(Kept kept) throws IOException {
        Optional<String> text = switch (kept) {
            case FILE -> fromFile();
            case KEYRING -> keyring.find(SERVICE, account()).map(Secret::reveal);
        };
        if (text.isEmpty()) {
            throw gone(kept);
        }
        try {
            byte[] key = Base64.getDecoder().decode(text.get().strip());
            if (key.length == BYTES) {
                return key;
            }
        } catch (IllegalArgumentException damaged) {
            // Said below, like any other text that is no key.
        }
        throw gone(kept);
    }

    private Optional<String> fromFile() throws IOException {
        if (!Files.exists(file)) {
            return Optional.empty();
        }
        if (PrivateFile.isOpenToOthers(file)) {
            throw new ProfileException(
                    ProfileException.Code.UNSAFE_PERMISSIONS,
                    "others can read " + file + "; run: chmod 600 " + file + ", and renew the secrets");
        }
        return Optional.of(Files.readString(file));
    }

    private ProfileException gone(Kept kept) {
        String where = kept == Kept.FILE ? file.toString() : "the keyring (is it locked?)";
        return new ProfileException(
                ProfileException.Code.DAMAGED,
                "the key of the secrets is not in " + where
                        + "; bring it back, or move secrets.json away and set the secrets again");
    }

    /// Makes a new key and keeps it there. Throws [ProfileException] if that place takes none.
    byte[] make(Kept kept) throws IOException {
        byte[] key = new byte[BYTES];
        new SecureRandom().nextBytes(key);
        String text = Base64.getEncoder().encodeToString(key);
        if (kept == Kept.FILE) {
            PrivateFile.write(file, text + "\n");
        } else if (!keyring.keep(SERVICE, account(), new Secret(text))) {
            throw new ProfileException(
                    ProfileException.Code.UNWRITABLE,
                    "this account has no keyring that opens; install secret-tool (libsecret) and unlock the keyring,"
                            + " or keep the key in a file");
        }
        return key;
    }

    boolean isInFile() {
        return Files.exists(file);
    }

    void forget(Kept kept) throws IOException {
        if (kept == Kept.FILE) {
            Files.deleteIfExists(file);
        } else {
            keyring.forget(SERVICE, account());
        }
    }

    /// Two homes of one account have two keys.
    private String account() {
        return file.toAbsolutePath().resolveSibling("").normalize().toString();
    }
}
