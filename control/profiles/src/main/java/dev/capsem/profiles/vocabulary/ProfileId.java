package dev.capsem.profiles.vocabulary;

import java.util.regex.Pattern;

/// The name a person chooses a profile by; also the name of its file.
public record ProfileId(String value) implements Comparable<ProfileId> {
    public static final String FORM = "1 to 64 lower-case letters, digits and -, the first no -";

    private static final Pattern VALID = Pattern.compile("[a-z0-9][a-z0-9-]{0,63}");

    /// Declared behind the pattern, which checks it.
    public static final ProfileId DEFAULT = new ProfileId("coding");

    public ProfileId {
        if (!isValid(value)) {
            throw new IllegalArgumentException("a profile's id has " + FORM);
        }
    }

    public static boolean isValid(String text) {
        return VALID.matcher(text).matches();
    }

    @Override
    public int compareTo(ProfileId other) {
        return value.compareTo(other.value);
    }

    @Override
    public String toString() {
        return value;
    }
}
