package dev.capsem.policy.grammar;

import java.util.Comparator;

/// The order of every list in a policy: letters without regard to case first, and only on a tie lower before upper.
///
/// For ASCII this is the Unicode root collation, spelled out so that no locale and no library version can change an
/// artifact. Characters beyond ASCII come after all of ASCII, by code unit.
public final class TextOrder implements Comparator<String> {
    public static final TextOrder INSTANCE = new TextOrder();

    private static final String ASCENDING = " _-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$0123456789";

    private TextOrder() {}

    @Override
    public int compare(String left, String right) {
        int shared = Math.min(left.length(), right.length());
        for (int i = 0; i < shared; i++) {
            int difference = Integer.compare(primary(left.charAt(i)), primary(right.charAt(i)));
            if (difference != 0) {
                return difference;
            }
        }
        if (left.length() != right.length()) {
            return Integer.compare(left.length(), right.length());
        }
        for (int i = 0; i < shared; i++) {
            // Same primary weight and different characters means the two cases of one letter; lower comes first.
            int difference = Character.compare(right.charAt(i), left.charAt(i));
            if (difference != 0) {
                return difference;
            }
        }
        return 0;
    }

    private static int primary(char c) {
        if (c >= 0x80) {
            return 0x1000 + c;
        }
        if (c >= 'a' && c <= 'z') {
            return 0x100 + c;
        }
        if (c >= 'A' && c <= 'Z') {
            return 0x100 + c - 'A' + 'a';
        }
        int place = ASCENDING.indexOf(c);
        return place >= 0 ? 0x20 + place : c < 0x20 ? c : 0x1f;
    }
}
