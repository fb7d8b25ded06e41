package dev.capsem.profiles.io;

import dev.capsem.profiles.CorpLayer;
import dev.capsem.profiles.DetectedEntries;
import dev.capsem.profiles.ProfileLibrary;
import dev.capsem.profiles.file.Entry.ServerEntry;
import dev.capsem.profiles.file.Profile;
import dev.capsem.profiles.file.ProfileReader;
import dev.capsem.profiles.file.Reading;
import dev.capsem.profiles.mcp.HostSettings;
import dev.capsem.profiles.mcp.HostTool;
import dev.capsem.profiles.registry.RegistryRules;
import dev.capsem.profiles.vocabulary.ProfileId;
import dev.capsem.source.Layer;
import dev.capsem.source.Place;
import dev.capsem.source.Problem;
import dev.capsem.source.SourceText;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;

/// Gives the library of the moment and follows the files it comes from. A file that goes bad changes nothing: its
/// last good version stays until it is right again.
public final class ProfileSource {
    private final ProfileFolders folders;
    private final CorpStore corp;
    private final SortedMap<ProfileId, Profile> builtIn;

    /// Guards the fields below: two reloads at once could bring back the older one.
    private final Object turn = new Object();

    private volatile ProfileLibrary library;
    private volatile List<Problem> problems = List.of();
    private String stamp = "";

    /// The result of a reload.
    ///
    /// @param changed whether the library is a new one
    /// @param problems of files that were not taken over
    public record Reload(ProfileLibrary library, boolean changed, List<Problem> problems) {
        public Reload {
            problems = List.copyOf(problems);
        }

        public boolean isClean() {
            return problems.stream().noneMatch(Problem::isError);
        }
    }

    private ProfileSource(ProfileFolders folders) {
        this.folders = folders;
        this.corp = new CorpStore(folders.corp(), folders.corpKeys(), folders.lastGood());
        this.builtIn = BuiltInProfiles.load();
        this.library = new ProfileLibrary(builtIn, Map.of(), CorpLayer.NONE, DetectedEntries.NONE, ProfileId.DEFAULT);
    }

    /// Reads everything once. A bad file does not stop it: whoever asks for that profile is refused.
    public static ProfileSource open(ProfileFolders folders) {
        ProfileSource source = new ProfileSource(folders);
        source.reload();
        return source;
    }

    public ProfileLibrary library() {
        return library;
    }

    /// Of the files as they were read last.
    public List<Problem> problems() {
        return problems;
    }

    /// Reads everything again.
    public Reload reload() {
        synchronized (turn) {
            stamp = FileStamps.of(folders);
            List<Problem> found = new ArrayList<>();
            CorpLayer payloads = corp.load();
            found.addAll(payloads.problems());
            ProfileLibrary next = new ProfileLibrary(builtIn, userProfiles(found), payloads, detected(), chosen(found));
            problems = List.copyOf(found);
            boolean changed = !next.equals(library);
            if (changed) {
                library = next;
            }
            return new Reload(library, changed, found);
        }
    }

    /// The library as the files are now. Whoever watches them still hears of the change.
    public ProfileLibrary fresh() {
        synchronized (turn) {
            String before = stamp;
            ProfileLibrary now = reload().library();
            stamp = before;
            return now;
        }
    }

    /// Reads everything again if a file has changed since.
    public Optional<Reload> poll() {
        synchronized (turn) {
            return FileStamps.of(folders).equals(stamp) ? Optional.empty() : Optional.of(reload());
        }
    }

    /// Polls until closed. Stamps are compared, not events awaited: editors replace files, directories come into
    /// being, and homes lie on network drives, where no events come.
    public Watch watch(Duration interval, Consumer<Reload> listener) {
        Thread thread = Thread.ofVirtual().name("profile-watch").start(() -> {
            while (!Thread.currentThread().isInterrupted()) {
                try {
                    Thread.sleep(interval);
                } catch (InterruptedException closed) {
                    return;
                }
                try {
                    poll().ifPresent(listener);
                } catch (ProfileException transientFault) {
                    listener.accept(new Reload(
                            library,
                            false,
                            List.of(Problem.error(
                                    Place.start(folders.user().toString()),
                                    String.valueOf(transientFault.getMessage())))));
                }
            }
        });
        return thread::interrupt;
    }

    /// Ends a watch.
    @FunctionalInterface
    public interface Watch extends AutoCloseable {
        @Override
        void close();
    }

    private Map<ProfileId, Reading> userProfiles(List<Problem> problems) {
        Map<ProfileId, Reading> profiles = new TreeMap<>();
        for (Path file : TomlFiles.in(folders.user())) {
            String name = String.valueOf(file.getFileName()).replaceFirst("\\.toml$", "");
            if (!ProfileId.isValid(name)) {
                problems.add(Problem.error(
                        Place.start(file.toString()),
                        "a profile's file is named <id>.toml; an id has " + ProfileId.FORM + "."));
                continue;
            }
            ProfileId id = new ProfileId(name);
            Reading reading = read(id, file);
            if (reading instanceof Reading.Invalid invalid) {
                problems.addAll(invalid.problems());
                boolean hasGood = library.user().get(id) instanceof Reading.Valid;
                reading = hasGood ? library.user().get(id) : reading;
            }
            profiles.put(id, reading);
        }
        return profiles;
    }

    private static Reading read(ProfileId id, Path file) {
        try {
            String text = Files.readString(file);
            Reading reading = ProfileReader.read(new SourceText(
                    file.toString(),
                    Layer.USER,
                    text,
                    ListFiles.beside(file, text).entries()));
            boolean isMisnamed = reading instanceof Reading.Valid valid
                    && !valid.profile().id().equals(id);
            return isMisnamed
                    ? new Reading.Invalid(List.of(Problem.error(
                            Place.start(file.toString()), "the id in this file is not " + id + ", its file's name.")))
                    : reading;
        } catch (IOException e) {
            return new Reading.Invalid(
                    List.of(Problem.error(Place.start(file.toString()), "the file cannot be read as UTF-8 text.")));
        }
    }

    private DetectedEntries detected() {
        Map<String, ServerEntry> servers = new TreeMap<>();
        List<Problem> problems = new ArrayList<>();
        for (HostTool tool : HostTool.values()) {
            text(folders.userHome().resolve(tool.path())).ifPresent(text -> {
                HostSettings.Detected found = HostSettings.detect(tool, text);
                problems.addAll(found.problems());
                found.servers().forEach(server -> {
                    ServerEntry entry = new ServerEntry(server.server(), server.place());
                    servers.putIfAbsent(entry.path(), entry);
                });
            });
        }
        RegistryRules.Remembered remembered = text(folders.registries())
                .map(text -> RegistryRules.read(folders.registries().toString(), text))
                .orElse(new RegistryRules.Remembered(List.of(), List.of()));
        problems.addAll(remembered.problems());
        return new DetectedEntries(
                List.copyOf(servers.values()),
                RegistryRules.of(
                        remembered.registries(),
                        "rules for the registries in " + folders.registries().getFileName()),
                problems);
    }

    private ProfileId chosen(List<Problem> problems) {
        Optional<String> text = text(folders.chosen()).map(String::strip);
        if (text.isPresent() && !ProfileId.isValid(text.get())) {
            problems.add(Problem.error(
                    Place.start(folders.chosen().toString()),
                    "this is not a profile's id; run: capsem profiles use ID"));
            return library.chosen();
        }
        return text.map(ProfileId::new).orElse(ProfileId.DEFAULT);
    }

    private static Optional<String> text(Path file) {
        try {
            return Files.isRegularFile(file) ? Optional.of(Files.readString(file)) : Optional.empty();
        } catch (IOException unreadable) {
            return Optional.empty();
        }
    }
}
