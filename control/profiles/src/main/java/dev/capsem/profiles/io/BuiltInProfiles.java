package dev.capsem.profiles.io;

import dev.capsem.profiles.file.Profile;
import dev.capsem.profiles.file.ProfileReader;
import dev.capsem.profiles.file.Reading;
import dev.capsem.profiles.vocabulary.ProfileId;
import dev.capsem.source.Layer;
import dev.capsem.source.SourceText;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/// The profiles that come with the program, from `config/profiles`.
public final class BuiltInProfiles {
    private static final List<String> NAMES = List.of("coding", "locked-down", "observe");
    private static final String FOLDER = "/dev/capsem/profiles/builtin/";

    private BuiltInProfiles() {}

    public static SortedMap<ProfileId, Profile> load() {
        SortedMap<ProfileId, Profile> profiles = new TreeMap<>();
        for (String name : NAMES) {
            SourceText source = new SourceText("config/profiles/" + name + ".toml", Layer.BUILT_IN, text(name));
            switch (ProfileReader.read(source)) {
                case Reading.Valid valid -> profiles.put(valid.profile().id(), valid.profile());
                case Reading.Invalid invalid ->
                    throw new IllegalStateException("built-in profile " + name + ": " + invalid.problems());
            }
        }
        return profiles;
    }

    private static String text(String name) {
        try (InputStream in = BuiltInProfiles.class.getResourceAsStream(FOLDER + name + ".toml")) {
            if (in == null) {
                throw new IllegalStateException("the built-in profile " + name + " is not in the jar");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new ProfileException(
                    ProfileException.Code.UNREADABLE, "the built-in profile " + name + " cannot be read", e);
        }
    }
}
