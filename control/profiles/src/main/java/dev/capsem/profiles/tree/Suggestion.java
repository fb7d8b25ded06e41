package dev.capsem.profiles.tree;

import java.util.Collection;

/// The known word that a mistyped one was probably meant to be.
final class Suggestion {
    private static final int EDITS_MAX = 2;

    private Suggestion() {}

    /// Empty, or a sentence with a blank in front.
    static String didYouMean(String word, Collection<String> known) {
        String nearest = "";
        int fewest = Math.min(EDITS_MAX, word.length() / 2) + 1;
        for (String candidate : known) {
            int edits = edits(word, candidate);
            if (edits < fewest) {
                fewest = edits;
                nearest = candidate;
            }
        }
        return nearest.isEmpty() ? " Known: " + String.join(", ", known) + "." : " Did you mean " + nearest + "?";
    }

    /// Levenshtein's distance, cut short where the lengths alone say no.
    private static int edits(String a, String b) {
        if (Math.abs(a.length() - b.length()) > EDITS_MAX) {
            return Integer.MAX_VALUE;
        }
        int[] row = new int[b.length() + 1];
        for (int j = 0; j <= b.length(); j++) {
            row[j] = j;
        }
        for (int i = 1; i <= a.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j <= b.length(); j++) {
                int change = a.charAt(i - 1) == b.charAt(j - 1) ? diagonal : diagonal + 1;
                diagonal = row[j];
                row[j] = Math.min(change, 1 + Math.min(row[j], row[j - 1]));
            }
        }
        return row[b.length()];
    }
}
