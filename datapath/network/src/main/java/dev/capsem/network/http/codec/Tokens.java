package dev.capsem.network.http.codec;

import dev.capsem.events.security.Headers;

/// The smallest parts of HTTP's grammar.
public final class Tokens {
    private Tokens() {}

    public static boolean isToken(String text) {
        return Headers.isName(text);
    }

    public static boolean isVisibleAscii(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (text.charAt(i) <= ' ' || text.charAt(i) >= 127) {
                return false;
            }
        }
        return true;
    }

    static boolean isFieldValue(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if ((c < ' ' && c != '\t') || c == 127) {
                return false;
            }
        }
        return true;
    }

    /// Without the spaces and tabs around it; other blanks are part of the value.
    static String trim(String text) {
        int start = 0;
        int end = text.length();
        while (start < end && isBlank(text.charAt(start))) {
            start++;
        }
        while (end > start && isBlank(text.charAt(end - 1))) {
            end--;
        }
        return text.substring(start, end);
    }

    private static boolean isBlank(char c) {
        return c == ' ' || c == '\t';
    }
}
