package dev.capsem.profiles.io;

import dev.capsem.broker.Placeholder;
import dev.capsem.source.json.JsonReader;
import dev.capsem.source.json.JsonReading;
import dev.capsem.source.json.JsonValue;
import dev.capsem.source.json.JsonWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/// The stand-ins of a sandbox, by grant, in a file of its session's directory: they survive a restart, and a program
/// that read one goes on with it. A fork does not get them; it knows them only to recognise files that hold them.
public final class PlaceholderFile {
    public static final String NAME = "placeholders.json";

    static final String FORMER_NAME = "placeholders.former.json";

    private PlaceholderFile() {}

    /// A file that cannot be read counts as none.
    public static SortedMap<String, Placeholder> read(Path sessionDir) {
        return stored(sessionDir.resolve(NAME));
    }

    /// Those of the sandbox that this one is a fork of.
    public static SortedMap<String, Placeholder> former(Path sessionDir) {
        return stored(sessionDir.resolve(FORMER_NAME));
    }

    public static void write(Path sessionDir, Map<String, Placeholder> placeholders) throws IOException {
        JsonValue.Builder json = JsonValue.members();
        placeholders.forEach((grant, placeholder) -> json.put(grant, placeholder.text()));
        PrivateFile.write(sessionDir.resolve(NAME), JsonWriter.pretty(json.build()) + "\n");
    }

    /// Tells a fork what its parent's files hold. A parent that is itself a fork and never started has the files of
    /// its own parent.
    public static void fork(Path parent, Path fork) throws IOException {
        Path own = parent.resolve(NAME);
        Path file = Files.exists(own) ? own : parent.resolve(FORMER_NAME);
        if (Files.exists(file)) {
            PrivateFile.replace(fork.resolve(FORMER_NAME), Files.readString(file));
        }
    }

    private static SortedMap<String, Placeholder> stored(Path file) {
        SortedMap<String, Placeholder> known = new TreeMap<>();
        try {
            if (Files.exists(file)
                    && JsonReader.read(Files.readString(file)) instanceof JsonReading.Parsed parsed
                    && parsed.document().root() instanceof JsonValue.Members members) {
                members.map().forEach((grant, value) -> {
                    if (value instanceof JsonValue.Text text) {
                        known.put(grant, new Placeholder(text.value()));
                    }
                });
            }
        } catch (IOException | IllegalArgumentException damaged) {
            return new TreeMap<>();
        }
        return known;
    }
}
