package dev.capsem.cli.rules;

/// Ids of rules as people write and read them: without the words that all of them begin with.
public final class RuleNames {
    private static final String PREFIX = "security.rules.";

    private RuleNames() {}

    /// `http.no_paste_sites`
    public static String shown(String id) {
        return id.startsWith(PREFIX) ? id.substring(PREFIX.length()) : id;
    }

    /// `security.rules.http.no_paste_sites`, however it was written.
    public static String whole(String written) {
        boolean isShort = !written.startsWith(PREFIX)
                && written.chars().filter(c -> c == '.').count() == 1;
        return isShort ? PREFIX + written : written;
    }
}
