package dev.capsem.wire;

import java.util.regex.Pattern;

/// The id of a sandbox, which is also its host name and, once persistent, its name.
public record SandboxId(String value) {
    /// Starts with a letter or digit, then letters, digits, `-` or `_`; 1 to 64 in all.
    private static final Pattern VALID = Pattern.compile("[A-Za-z0-9][A-Za-z0-9_-]{0,63}");

    public SandboxId {
        if (!isValid(value)) {
            throw new IllegalArgumentException(
                    "not a sandbox id: 1 to 64 of A-Z a-z 0-9 - _, the first a letter or digit");
        }
    }

    public static boolean isValid(String text) {
        return VALID.matcher(text).matches();
    }

    @Override
    public String toString() {
        return value;
    }
}
