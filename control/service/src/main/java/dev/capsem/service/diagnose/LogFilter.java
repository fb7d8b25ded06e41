package dev.capsem.service.diagnose;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/// First the lines that hold a text, then the last of them.
///
/// @param isCaseSensitive whether `grep` tells `a` from `A`
public record LogFilter(Optional<String> grep, Optional<Integer> tail, boolean isCaseSensitive) {
    public String apply(String text) {
        if (grep.isEmpty() && tail.isEmpty()) {
            return text;
        }
        List<String> lines = text.lines().filter(this::holds).toList();
        int skipped = tail.map(wanted -> Math.max(0, lines.size() - wanted)).orElse(0);
        return lines.stream().skip(skipped).map(line -> line + "\n").collect(Collectors.joining());
    }

    private boolean holds(String line) {
        if (grep.isEmpty()) {
            return true;
        }
        return isCaseSensitive
                ? line.contains(grep.get())
                : line.toLowerCase(Locale.ROOT).contains(grep.get().toLowerCase(Locale.ROOT));
    }
}
