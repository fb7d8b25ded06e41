package dev.capsem.profiles.io;

import dev.capsem.profiles.EffectiveJson;
import dev.capsem.profiles.EffectiveProfile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/// The effective profile in a session's directory: written by the service, read by the session's process.
public final class SessionProfile {
    private SessionProfile() {}

    /// Whole or not at all, so that a process that reads meanwhile sees the old one or the new one.
    public static void write(Path sessionDirectory, EffectiveProfile profile) {
        write(sessionDirectory, EffectiveJson.write(profile));
    }

    /// The same for a text that was made before: most sessions have the profile of the one before them.
    ///
    /// @param json what [EffectiveJson#write] gave
    public static void write(Path sessionDirectory, String json) {
        writeAs(sessionDirectory.resolve(EffectiveJson.FILE), json);
    }

    /// The same under another name.
    public static void writeAs(Path file, String json) {
        try {
            PrivateFile.replace(file, json);
        } catch (IOException e) {
            throw new ProfileException(ProfileException.Code.UNWRITABLE, file + " cannot be written", e);
        }
    }

    /// Never throws: without a profile that reads, everything is to be blocked.
    public static EffectiveJson.Read read(Path sessionDirectory) {
        try {
            return EffectiveJson.read(Files.readString(sessionDirectory.resolve(EffectiveJson.FILE)));
        } catch (IOException unreadable) {
            return new EffectiveJson.Read.Malformed("the session's effective profile cannot be read");
        }
    }
}
