package dev.capsem.profiles.io;

import dev.capsem.profiles.secret.Keyring;
import dev.capsem.profiles.secret.Secret;
import dev.capsem.profiles.secret.SecretName;
import dev.capsem.profiles.secret.SecretRef;
import dev.capsem.profiles.secret.SecretSource;
import dev.capsem.source.json.JsonReader;
import dev.capsem.source.json.JsonReading;
import dev.capsem.source.json.JsonValue;
import dev.capsem.source.json.JsonWriter;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Predicate;

/// The secrets of one home, encrypted in a file of mode 0600 with a key of the account. Several programs may use it at
/// once: every change is made
/// under a lock and replaces the file whole. Read anew for each question, so that no program keeps what was
/// removed. One instance per program.
public final class SecretStore implements SecretSource {
    public static final int SECRETS_MAX = 1_000;

    private final Path file;
    private final Path lock;
    private final Path times;
    private final StoreKey keys;

    /// Guards nothing in memory: a JVM may not ask twice at once for the lock of one file.
    private final Object turn = new Object();

    /// @param file such as `secrets.json` of the home
    public SecretStore(Path file) {
        this(file, Keyring.NONE);
    }

    /// @param keyring holds the key, if its owner moved it there
    public SecretStore(Path file, Keyring keyring) {
        this.file = file;
        this.keys = new StoreKey(file, keyring);
        this.lock = file.resolveSibling("." + file.getFileName() + ".lock");
        this.times = file.resolveSibling("." + file.getFileName() + ".times");
    }

    @Override
    public Optional<Secret> find(SecretRef ref) {
        return ref instanceof SecretRef.Stored stored
                ? Optional.ofNullable(read().get(stored.name()))
                : Optional.empty();
    }

    /// The names only.
    public List<SecretName> list() {
        return List.copyOf(read().keySet());
    }

    /// When each was set, as far as that is known. Nothing depends on it.
    public SortedMap<SecretName, Instant> setAt() {
        SortedMap<SecretName, Instant> known = new TreeMap<>();
        try {
            if (Files.exists(times)
                    && JsonReader.read(Files.readAllBytes(times)) instanceof JsonReading.Parsed parsed
                    && parsed.document().root() instanceof JsonValue.Members members) {
                members.map().forEach((name, value) -> {
                    if (SecretName.isValid(name) && value instanceof JsonValue.Text text) {
                        known.put(new SecretName(name), Instant.parse(text.value()));
                    }
                });
            }
        } catch (IOException | DateTimeParseException unknown) {
            return known;
        }
        return known;
    }

    public void set(SecretName name, Secret secret, Instant at) {
        set(name, secret);
        synchronized (turn) {
            SortedMap<SecretName, Instant> known = setAt();
            known.keySet().retainAll(read().keySet());
            known.put(name, at);
            JsonValue.Builder json = JsonValue.members();
            known.forEach((one, time) -> json.put(one.value(), time.toString()));
            try {
                PrivateFile.write(times, JsonWriter.pretty(json.build()) + "\n");
            } catch (IOException e) {
                throw new ProfileException(ProfileException.Code.UNWRITABLE, times + " cannot be written", e);
            }
        }
    }

    public void set(SecretName name, Secret secret) {
        change(secrets -> {
            if (secrets.size() >= SECRETS_MAX && !secrets.containsKey(name)) {
                throw new ProfileException(
                        ProfileException.Code.UNWRITABLE, "there are " + SECRETS_MAX + " secrets; remove some first");
            }
            return !secret.equals(secrets.put(name, secret));
        });
    }

    /// Whether there was one.
    public boolean remove(SecretName name) {
        return change(secrets -> secrets.remove(name) != null);
    }

    /// Where the key is: `file` or `keyring`.
    public String keyPlace() {
        try {
            return (Files.exists(file) ? content().kept() : StoreKey.Kept.FILE).wireName();
        } catch (IOException e) {
            throw unreadable(e);
        }
    }

    /// Whether everything in the file is encrypted; a file from before is until it is sealed.
    public boolean isEncrypted() {
        try {
            return !Files.exists(file) || content().isSealed();
        } catch (IOException e) {
            throw unreadable(e);
        }
    }

    /// Encrypts a file from before. Says whether there was one.
    public boolean seal() {
        return !isEncrypted() && change(_ -> true);
    }

    /// Encrypts everything anew, with a new key that is kept there: `file` or `keyring`. False if there is no such
    /// place. Throws [ProfileException] if it takes no key; then nothing has changed.
    public boolean moveKey(String place) {
        Optional<StoreKey.Kept> to = StoreKey.Kept.named(place);
        to.ifPresent(kept -> locked(() -> {
            StoreKey.Kept from = Files.exists(file) ? content().kept() : StoreKey.Kept.FILE;
            SortedMap<SecretName, Secret> secrets = read();
            if (from != kept) {
                write(secrets, kept, keys.make(kept));
                keys.forget(from);
            }
            return true;
        }));
        return to.isPresent();
    }

    /// @param edit says whether it changed anything
    private boolean change(Predicate<SortedMap<SecretName, Secret>> edit) {
        return locked(() -> {
            StoreKey.Kept kept = Files.exists(file) ? content().kept() : StoreKey.Kept.FILE;
            SortedMap<SecretName, Secret> secrets = read();
            boolean changed = edit.test(secrets);
            if (changed) {
                boolean hasKey = Files.exists(file) && content().isSealed();
                write(secrets, kept, hasKey || keys.isInFile() ? keys.find(kept) : keys.make(kept));
            }
            return changed;
        });
    }

    private interface Work {
        boolean run() throws IOException;
    }

    private boolean locked(Work work) {
        synchronized (turn) {
            try {
                PrivateFile.makeDirectory(file);
                try (FileChannel channel = FileChannel.open(lock, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                        FileLock _ = channel.lock()) {
                    return work.run();
                }
            } catch (IOException | OverlappingFileLockException e) {
                throw new ProfileException(
                        ProfileException.Code.UNWRITABLE, "the secrets in " + file + " cannot be written", e);
            }
        }
    }

    private void write(SortedMap<SecretName, Secret> secrets, StoreKey.Kept kept, byte[] key) throws IOException {
        JsonValue.Builder json = JsonValue.members();
        secrets.forEach((name, secret) -> json.put(name.value(), secret.reveal()));
        PrivateFile.write(
                file,
                SealedText.seal(kept, key, JsonWriter.compact(json.build())).json());
        Arrays.fill(key, (byte) 0);
    }

    /// What the file holds: sealed, or in clear if it is from before.
    private record Content(Optional<SealedText> sealed, JsonValue.Members json) {
        boolean isSealed() {
            return sealed.isPresent();
        }

        StoreKey.Kept kept() {
            return sealed.map(SealedText::kept).orElse(StoreKey.Kept.FILE);
        }
    }

    private Content content() throws IOException {
        if (PrivateFile.isOpenToOthers(file)) {
            throw new ProfileException(
                    ProfileException.Code.UNSAFE_PERMISSIONS,
                    "others can read " + file + "; run: chmod 600 " + file + ", and renew the secrets in it");
        }
        JsonValue.Members json = members(Files.readString(file));
        if (!SealedText.isMeant(json)) {
            return new Content(Optional.empty(), json);
        }
        return new Content(Optional.of(SealedText.read(json).orElseThrow(this::damaged)), json);
    }

    private JsonValue.Members members(String text) {
        if (JsonReader.read(text) instanceof JsonReading.Parsed parsed
                && parsed.document().root() instanceof JsonValue.Members members) {
            return members;
        }
        throw damaged();
    }

    private SortedMap<SecretName, Secret> read() {
        SortedMap<SecretName, Secret> secrets = new TreeMap<>();
        if (!Files.exists(file)) {
            return secrets;
        }
        try {
            Content content = content();
            JsonValue.Members members = content.json();
            if (content.isSealed()) {
                byte[] key = keys.find(content.kept());
                members = members(content.sealed().get().open(key).orElseThrow(this::damaged));
                Arrays.fill(key, (byte) 0);
            }
            members.map().forEach((name, value) -> {
                if (!SecretName.isValid(name)
                        || !(value instanceof JsonValue.Text text)
                        || text.value().isEmpty()) {
                    throw damaged();
                }
                secrets.put(new SecretName(name), new Secret(text.value()));
            });
            return secrets;
        } catch (IOException e) {
            throw unreadable(e);
        }
    }

    private ProfileException unreadable(IOException e) {
        return new ProfileException(ProfileException.Code.UNREADABLE, "the secrets in " + file + " cannot be read", e);
    }

    private ProfileException damaged() {
        return new ProfileException(ProfileException.Code.DAMAGED, file + " is not a file of secrets any more");
    }
}
