package dev.capsem.profiles.io;

import dev.capsem.profiles.corp.Minisign;
import dev.capsem.profiles.corp.VerifyingKey;
import dev.capsem.profiles.file.Profile;
import dev.capsem.profiles.file.ProfileReader;
import dev.capsem.profiles.file.Reading;
import dev.capsem.source.Layer;
import dev.capsem.source.Problem;
import dev.capsem.source.SourceText;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/// Puts a company's payload that came from elsewhere where payloads are loaded from. Nothing is written before its
/// signature is checked with the key that this machine believes, or with the first one it is given.
public final class CorpInstall {
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9_-]{0,63}\\.toml");

    private final ProfileFolders folders;

    /// The result.
    public sealed interface Outcome {
        /// @param key who signed it, as minisign shows it
        record Installed(Path file, long revision, String key) implements Outcome {}

        record Refused(String reason, String remedy) implements Outcome {}
    }

    public CorpInstall(ProfileFolders folders) {
        this.folders = folders;
    }

    /// Gets a list that a payload names and pins by its digest. Asked only after the payload's signature was checked.
    public interface Lists {
        String get(String name);
    }

    /// @param name of the file, `<name>.toml`
    /// @param key a minisign public key, for a machine that believes none yet
    public Outcome install(String name, byte[] payload, String signature, Optional<String> key, Lists lists) {
        if (!NAME.matcher(name).matches()) {
            return new Outcome.Refused(
                    "the payload's name is not one of a file <name>.toml", "give a URL that ends with <name>.toml");
        }
        try {
            Optional<VerifyingKey> believed = believed();
            Optional<VerifyingKey> given = key.flatMap(VerifyingKey::parse);
            Optional<Outcome> fault = keyFault(believed, key.isPresent(), given);
            if (fault.isPresent()) {
                return fault.get();
            }
            VerifyingKey trusted = believed.or(() -> given).orElseThrow();
            if (Minisign.verify(payload, signature, List.of(trusted))
                    instanceof Minisign.Verification.Refused refused) {
                return new Outcome.Refused(
                        "the payload is refused: " + refused.reason(),
                        "ask your company for a payload signed with the key " + trusted.name());
            }
            return write(
                    name, new String(payload, StandardCharsets.UTF_8), signature, trusted, believed.isEmpty(), lists);
        } catch (IOException e) {
            throw new ProfileException(
                    ProfileException.Code.UNWRITABLE, "the payload cannot be kept in " + directory(), e);
        }
    }

    private static Optional<Outcome> keyFault(
            Optional<VerifyingKey> believed, boolean isGiven, Optional<VerifyingKey> given) {
        if (isGiven && given.isEmpty()) {
            return Optional.of(
                    new Outcome.Refused("this is not a minisign public key", "give the company's .pub file"));
        }
        if (believed.isEmpty() && given.isEmpty()) {
            return Optional.of(new Outcome.Refused(
                    "this machine believes no company's key yet",
                    "give the public key that your company told you: --key FILE"));
        }
        boolean isAnother = believed.isPresent() && given.isPresent() && !believed.equals(given);
        return isAnother
                ? Optional.of(new Outcome.Refused(
                        "this machine believes the key " + believed.get().name() + ", not "
                                + given.get().name(),
                        "if your company changed its key, remove the old corp.pub first; docs/profiles.md says where"))
                : Optional.empty();
    }

    /// The first file that exists counts, as where payloads are loaded.
    private Optional<VerifyingKey> believed() throws IOException {
        Optional<Path> file = folders.corpKeys().stream().filter(Files::exists).findFirst();
        return file.isEmpty() ? Optional.empty() : VerifyingKey.parse(Files.readString(file.get()));
    }

    private Outcome write(
            String name, String text, String signature, VerifyingKey trusted, boolean isFirst, Lists lists)
            throws IOException {
        Path file = directory().resolve(name);
        Map<String, String> pins = CorpStore.pins(text);
        ListFiles all = ListFiles.beside(file, text).with(text, pins, lists::get);
        Optional<String> unsigned = all.firstUnsigned(pins);
        if (unsigned.isPresent()) {
            return new Outcome.Refused(unsigned.get(), "ask your company for the list that belongs to this payload");
        }
        Reading reading = ProfileReader.read(new SourceText(file.toString(), Layer.CORP, text, all.entries()));
        if (!(reading instanceof Reading.Valid valid)) {
            return new Outcome.Refused(
                    reading.problems().stream().map(Problem::toString).collect(Collectors.joining("\n")),
                    "ask your company for a payload that reads");
        }
        long inForce = Files.exists(file)
                        && ProfileReader.read(source(file, Files.readString(file)))
                                instanceof Reading.Valid(Profile before, List<Problem> _)
                ? before.revision()
                : 0;
        if (valid.profile().revision() < inForce) {
            return new Outcome.Refused(
                    "revision " + valid.profile().revision() + " is older than " + inForce + ", which is there",
                    "ask your company for the newest payload");
        }
        if (isFirst) {
            PrivateFile.write(folders.corpKeys().getLast(), trusted.encode());
        }
        for (Map.Entry<String, String> list : all.texts().entrySet()) {
            PrivateFile.write(file.resolveSibling(list.getKey()), list.getValue());
        }
        PrivateFile.write(file.resolveSibling(name + ".minisig"), signature);
        PrivateFile.write(file, text);
        return new Outcome.Installed(file, valid.profile().revision(), trusted.name());
    }

    /// With the lists that stand where it goes.
    private static SourceText source(Path file, String text) throws IOException {
        return new SourceText(
                file.toString(), Layer.CORP, text, ListFiles.beside(file, text).entries());
    }

    /// The person's own place; what the machine's administrator put elsewhere has more say.
    private Path directory() {
        return folders.corp().getLast();
    }
}
