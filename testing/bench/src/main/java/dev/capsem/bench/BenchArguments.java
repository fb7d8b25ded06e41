package dev.capsem.bench;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// The options of `capsem bench`.
///
/// @param parts by name, none = all of them
/// @param isQuick measures less and for a shorter time
/// @param earlier the results of an earlier run to compare with
record BenchArguments(List<String> parts, Path json, boolean isQuick, Optional<Path> earlier) {
    /// What a quick run measures if nobody says: about two minutes.
    static final List<String> QUICK_PARTS = List.of("sandbox", "cli", "writer", "net");

    BenchArguments {
        parts = List.copyOf(parts);
    }

    /// Empty if they make no sense.
    static Optional<BenchArguments> parse(List<String> arguments, Set<String> known) {
        List<String> parts = new ArrayList<>();
        Path json = Path.of("bench-results/latest.json");
        boolean isQuick = false;
        Optional<Path> earlier = Optional.empty();
        for (Iterator<String> words = arguments.iterator(); words.hasNext(); ) {
            String word = words.next();
            boolean takesFile = word.equals("--json") || word.equals("--compare");
            if (takesFile && !words.hasNext()) {
                return Optional.empty();
            }
            if (word.equals("--json")) {
                json = Path.of(words.next());
            } else if (word.equals("--compare")) {
                earlier = Optional.of(Path.of(words.next()));
            } else if (word.equals("--quick")) {
                isQuick = true;
            } else if (known.contains(word)) {
                parts.add(word);
            } else {
                return Optional.empty();
            }
        }
        return Optional.of(new BenchArguments(parts, json, isQuick, earlier));
    }

    boolean wants(String part) {
        if (!parts.isEmpty()) {
            return parts.contains(part);
        }
        return !isQuick || QUICK_PARTS.contains(part);
    }
}
