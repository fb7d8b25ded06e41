package dev.capsem.cli.capgate;

import dev.capsem.source.json.JsonReader;
import dev.capsem.source.json.JsonReading;
import dev.capsem.source.json.ParsedJson;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;

/// Reads JSON from a file, or from standard input for `-`, and never more than the reader's limit.
final class ManifestInput {
    private final InputStream standardInput;

    ManifestInput(InputStream standardInput) {
        this.standardInput = standardInput;
    }

    /// The file cannot be read, or what is in it is not JSON. Exit code 3.
    static final class Unreadable extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Unreadable(String message) {
            super(message);
        }
    }

    ParsedJson read(String name) {
        return switch (JsonReader.read(bytes(name))) {
            case JsonReading.Parsed parsed -> parsed.document();
            case JsonReading.Malformed malformed ->
                throw new Unreadable(label(name) + ":" + malformed.line() + ":" + malformed.column() + ": not JSON: "
                        + malformed.reason());
        };
    }

    static String label(String name) {
        return name.equals("-") ? "<stdin>" : name;
    }

    private byte[] bytes(String name) {
        try {
            if (name.equals("-")) {
                return standardInput.readNBytes(JsonReader.BYTES_MAX + 1);
            }
            try (InputStream in = Files.newInputStream(Path.of(name))) {
                return in.readNBytes(JsonReader.BYTES_MAX + 1);
            }
        } catch (IOException | InvalidPathException e) {
            throw new Unreadable("cannot read '" + label(name) + "'");
        }
    }
}
