package dev.capsem.profiles.vocabulary;

import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Files of entries that rules ask for as `list("name")`: one entry per line, `#` begins a comment.
public final class ListText {
    public static final int BYTES_MAX = 1024 * 1024;
    public static final int ENTRIES_MAX = 10_000;

    /// A plain name: the file stands beside the profile.
    private static final Pattern USE =
            Pattern.compile("\\blist\\(\\s*([\"'])([A-Za-z0-9_-][A-Za-z0-9_.-]{0,63})\\1\\s*\\)");

    private ListText() {}

    /// The names that a text asks for.
    public static SortedSet<String> names(String text) {
        SortedSet<String> names = new TreeSet<>();
        Matcher use = USE.matcher(text);
        while (use.find()) {
            names.add(use.group(2));
        }
        return names;
    }

    /// Empty if there are more than a list may have.
    public static Optional<List<String>> entries(String text) {
        List<String> entries = text.lines()
                .map(line -> line.replaceFirst("#.*$", "").strip())
                .filter(line -> !line.isEmpty())
                .distinct()
                .limit(ENTRIES_MAX + 1L)
                .toList();
        return entries.size() > ENTRIES_MAX || text.length() > BYTES_MAX ? Optional.empty() : Optional.of(entries);
    }
}
