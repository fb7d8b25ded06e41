package dev.capsem.profiles.secret;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;

/// A value that must not be shown, logged or stored beside other facts.
public final class Secret {
    /// Larger than any key or certificate bundle people use as a credential.
    public static final int CHARS_MAX = 64 * 1024;

    private final String value;

    public Secret(String value) {
        boolean valid = !value.isEmpty() && value.length() <= CHARS_MAX && value.indexOf('\0') < 0;
        if (!valid) {
            throw new IllegalArgumentException("a secret has 1 to " + CHARS_MAX + " characters and no NUL");
        }
        this.value = value;
    }

    /// The value itself, for the one place that sends it.
    public String reveal() {
        return value;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Secret secret && MessageDigest.isEqual(bytes(value), bytes(secret.value));
    }

    /// The same for all secrets: a hash would tell something about the value.
    @Override
    public int hashCode() {
        return 1;
    }

    @Override
    public String toString() {
        return "***";
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
