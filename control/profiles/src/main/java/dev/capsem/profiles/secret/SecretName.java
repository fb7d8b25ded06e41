package dev.capsem.profiles.secret;

import java.util.regex.Pattern;

/// What a secret of the store is called.
public record SecretName(String value) implements Comparable<SecretName> {
    public static final String FORM = "1 to 64 lower-case letters, digits, . _ and -, the first a letter or digit";

    private static final Pattern VALID = Pattern.compile("[a-z0-9][a-z0-9._-]{0,63}");

    public SecretName {
        if (!isValid(value)) {
            throw new IllegalArgumentException("a secret's name has " + FORM);
        }
    }

    public static boolean isValid(String text) {
        return VALID.matcher(text).matches();
    }

    @Override
    public int compareTo(SecretName other) {
        return value.compareTo(other.value);
    }

    @Override
    public String toString() {
        return value;
    }
}
