package dev.capsem.source;

import java.util.Collection;
import java.util.Comparator;
import java.util.Locale;
import java.util.Optional;

/// Finds the known word that a mistyped one was probably meant to be.
public final class Suggestion {
    private Suggestion() {}

    /// The candidate nearest to what was written, if any is near enough to be a slip.
    public static Optional<String> nearest(String written, Collection<String> candidates) {
        int farthest = Math.min(3, (written.length() + 1) / 3);
        return candidates.stream()
                .filter(candidate -> Math.abs(candidate.length() - written.length()) <= farthest)
                .filter(candidate -> distance(written, candidate) <= farthest)
                .min(Comparator.<String>comparingInt(candidate -> distance(written, candidate))
                        .thenComparing(Comparator.naturalOrder()));
    }

    /// ` Did you mean X?` with a leading blank, or nothing.
    public static String didYouMean(String written, Collection<String> candidates) {
        return nearest(written, candidates)
                .map(candidate -> " Did you mean " + candidate + "?")
                .orElse("");
    }

    /// The same, or ` Known: …` with all that could be meant.
    public static String didYouMeanOneOf(String written, Collection<String> candidates) {
        return nearest(written, candidates).isPresent()
                ? didYouMean(written, candidates)
                : " Known: " + String.join(", ", candidates) + ".";
    }

    /// Edits between two words, without regard to case; swapping neighbours counts as one.
    private static int distance(String left, String right) {
        String a = left.toLowerCase(Locale.ROOT);
        String b = right.toLowerCase(Locale.ROOT);
        int[][] cost = new int[a.length() + 1][b.length() + 1];
        for (int i = 0; i <= a.length(); i++) {
            cost[i][0] = i;
        }
        for (int j = 0; j <= b.length(); j++) {
            cost[0][j] = j;
        }
        for (int i = 1; i <= a.length(); i++) {
            for (int j = 1; j <= b.length(); j++) {
                int change = a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1;
                int cheapest = Math.min(cost[i - 1][j], cost[i][j - 1]) + 1;
                cost[i][j] = Math.min(cheapest, cost[i - 1][j - 1] + change);
                boolean swapped =
                        i > 1 && j > 1 && a.charAt(i - 1) == b.charAt(j - 2) && a.charAt(i - 2) == b.charAt(j - 1);
                if (swapped) {
                    cost[i][j] = Math.min(cost[i][j], cost[i - 2][j - 2] + 1);
                }
            }
        }
        return cost[a.length()][b.length()];
    }
}
