package dev.capsem.profiles.file;

import dev.capsem.fuzz.Property;
import dev.capsem.source.Layer;
import dev.capsem.source.SourceText;
import java.nio.charset.StandardCharsets;

/// Profile files of every layer: read, or refused with problems that have a place in the text.
public final class ProfileFuzz {
    private ProfileFuzz() {}

    public static void fuzzerTestOneInput(byte[] data) {
        String text = new String(data, StandardCharsets.UTF_8);
        long linesMax = text.chars().filter(c -> c == '\n' || c == '\r').count() + 2;
        for (Layer layer : Layer.values()) {
            Reading reading = ProfileReader.read(new SourceText("fuzz.toml", layer, text));
            Property.holds(
                    reading instanceof Reading.Valid || !reading.problems().isEmpty(), "refused without a problem");
            reading.problems()
                    .forEach(problem -> Property.holds(
                            problem.place().line() >= 1
                                    && problem.place().line() <= linesMax
                                    && !problem.message().isBlank(),
                            "a problem without its place: " + problem));
        }
    }
}
