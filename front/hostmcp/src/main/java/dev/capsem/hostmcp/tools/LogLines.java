package dev.capsem.hostmcp.tools;

import java.util.List;
import java.util.Locale;
import java.util.Optional;

/// Picks lines of a log.
///
/// @param grep only lines that hold this, in whatever case
/// @param tail of those, only so many from the end
record LogLines(Optional<String> grep, Optional<Integer> tail) {
    String of(String text) {
        if (grep.isEmpty() && tail.isEmpty()) {
            return text;
        }
        String wanted = grep.orElse("").toLowerCase(Locale.ROOT);
        List<String> lines = text.lines()
                .filter(line -> line.toLowerCase(Locale.ROOT).contains(wanted))
                .toList();
        int first = tail.map(count -> Math.max(0, lines.size() - count)).orElse(0);
        return String.join("\n", lines.subList(first, lines.size()));
    }
}
