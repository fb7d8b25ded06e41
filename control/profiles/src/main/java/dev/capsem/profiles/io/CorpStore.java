package dev.capsem.profiles.io;

import dev.capsem.profiles.CorpLayer;
import dev.capsem.profiles.corp.Minisign;
import dev.capsem.profiles.corp.VerifyingKey;
import dev.capsem.profiles.file.Profile;
import dev.capsem.profiles.file.ProfileReader;
import dev.capsem.profiles.file.Reading;
import dev.capsem.source.Layer;
import dev.capsem.source.Place;
import dev.capsem.source.Problem;
import dev.capsem.source.Problems;
import dev.capsem.source.SourceText;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.tomlj.Toml;
import org.tomlj.TomlTable;

/// Loads corp payloads. One that is not signed by a trusted key, was changed, does not read, or is older than
/// what was in force is refused, and the last good one stays. Without a last good one no profile is in force.
final class CorpStore {
    private static final String SIGNATURE = ".minisig";

    private final List<Path> directories;
    private final List<Path> keyFiles;
    private final Path lastGood;

    CorpStore(List<Path> directories, List<Path> keyFiles, Path lastGood) {
        this.directories = List.copyOf(directories);
        this.keyFiles = List.copyOf(keyFiles);
        this.lastGood = lastGood;
    }

    /// A payload as it was found, and what it is worth.
    private sealed interface Candidate {
        record Good(Profile profile, String text, String signature, ListFiles lists) implements Candidate {}

        record Bad(List<Problem> problems) implements Candidate {}
    }

    CorpLayer load() {
        Problems problems = new Problems();
        List<VerifyingKey> keys = keys(problems);
        Map<String, Path> offered = new TreeMap<>();
        for (Path directory : directories.reversed()) {
            TomlFiles.in(directory).forEach(file -> offered.put(String.valueOf(file.getFileName()), file));
        }
        Map<String, Path> kept = new TreeMap<>();
        // Without a key the company's rules are over; what was kept of them cannot be believed any more.
        if (!keys.isEmpty()) {
            TomlFiles.in(lastGood).forEach(file -> kept.put(String.valueOf(file.getFileName()), file));
        }
        Map<String, Path> all = new TreeMap<>(kept);
        all.putAll(offered);
        List<Profile> payloads = new ArrayList<>();
        for (String name : all.keySet()) {
            Optional<Candidate.Good> last = Optional.ofNullable(kept.get(name))
                    .map(file -> candidate(file, keys))
                    .filter(Candidate.Good.class::isInstance)
                    .map(Candidate.Good.class::cast);
            Candidate found = Optional.ofNullable(offered.get(name))
                    .map(file -> candidate(file, keys))
                    .orElseGet(() -> bad(
                            Place.start(name), "the payload is gone. To leave your company's rules, remove its key."));
            choose(name, found, last, problems).ifPresent(payloads::add);
        }
        return new CorpLayer(payloads, problems.list());
    }

    private Optional<Profile> choose(String name, Candidate found, Optional<Candidate.Good> last, Problems problems) {
        long floor = last.map(kept -> kept.profile().revision()).orElse(0L);
        List<Problem> faults = switch (found) {
            case Candidate.Bad bad -> bad.problems();
            case Candidate.Good good
            when good.profile().revision() < floor ->
                List.of(Problem.error(
                        Place.start(good.profile().source().file()),
                        "revision " + good.profile().revision() + " is older than " + floor + ", which was in force."));
            case Candidate.Good good -> {
                keep(name, good, last);
                yield List.of();
            }
        };
        if (found instanceof Candidate.Good good && faults.isEmpty()) {
            return Optional.of(good.profile());
        }
        if (last.isEmpty()) {
            problems.addAll(faults);
            return Optional.empty();
        }
        String stays = " Revision " + floor + " of " + name + " stays in force.";
        faults.forEach(fault -> problems.warning(fault.place(), fault.message() + stays));
        return Optional.of(last.get().profile());
    }

    private static Candidate candidate(Path file, List<VerifyingKey> keys) {
        Place place = Place.start(file.toString());
        Path signatureFile = file.resolveSibling(file.getFileName() + SIGNATURE);
        try {
            byte[] bytes = Files.readAllBytes(file);
            if (!Files.exists(signatureFile)) {
                return bad(place, "the payload is not signed: " + signatureFile.getFileName() + " is missing.");
            }
            String signature = Files.readString(signatureFile);
            if (Minisign.verify(bytes, signature, keys) instanceof Minisign.Verification.Refused refused) {
                return bad(place, "the payload is refused: " + refused.reason() + ".");
            }
            String text = new String(bytes, StandardCharsets.UTF_8);
            ListFiles lists = ListFiles.beside(file, text);
            SourceText source = new SourceText(file.toString(), Layer.CORP, text, lists.entries());
            return switch (ProfileReader.read(source)) {
                case Reading.Invalid invalid -> new Candidate.Bad(invalid.problems());
                case Reading.Valid valid ->
                    lists.firstUnsigned(pins(text))
                            .map(unsigned -> bad(place, unsigned))
                            .orElseGet(() -> new Candidate.Good(valid.profile(), text, signature, lists));
            };
        } catch (IOException e) {
            return bad(place, "the payload or its signature cannot be read.");
        }
    }

    /// `[security.lists]`: the digests through which the signature covers the lists as well.
    static Map<String, String> pins(String text) {
        TomlTable lists = Toml.parse(text).getTable("security.lists");
        Map<String, String> pins = new HashMap<>();
        if (lists != null) {
            lists.keySet().forEach(name -> {
                if (lists.get(List.of(name)) instanceof String digest) {
                    pins.put(name, digest);
                }
            });
        }
        return pins;
    }

    private static Candidate bad(Place place, String message) {
        return new Candidate.Bad(List.of(Problem.error(place, message)));
    }

    private void keep(String name, Candidate.Good good, Optional<Candidate.Good> last) {
        boolean isKept = last.isPresent()
                && last.get().text().equals(good.text())
                && last.get().signature().equals(good.signature());
        if (isKept) {
            return;
        }
        try {
            PrivateFile.write(lastGood.resolve(name + SIGNATURE), good.signature());
            PrivateFile.write(lastGood.resolve(name), good.text());
            for (Map.Entry<String, String> list : good.lists().texts().entrySet()) {
                PrivateFile.write(lastGood.resolve(list.getKey()), list.getValue());
            }
        } catch (IOException e) {
            throw new ProfileException(
                    ProfileException.Code.UNWRITABLE, "corp payloads cannot be kept in " + lastGood, e);
        }
    }

    /// The first file that exists is the one that counts: whoever sets up the machine decides whom it believes, and
    /// a key in the person's home cannot stand beside theirs.
    private List<VerifyingKey> keys(Problems problems) {
        Optional<Path> file = keyFiles.stream().filter(Files::exists).findFirst();
        if (file.isEmpty()) {
            return List.of();
        }
        try {
            Optional<VerifyingKey> key = VerifyingKey.parse(Files.readString(file.get()));
            if (key.isEmpty()) {
                problems.error(Place.start(file.get().toString()), "this is not a minisign public key.");
            }
            return key.map(List::of).orElse(List.of());
        } catch (IOException e) {
            problems.error(Place.start(file.get().toString()), "the key cannot be read.");
            return List.of();
        }
    }
}
