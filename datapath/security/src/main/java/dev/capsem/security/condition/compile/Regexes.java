package dev.capsem.security.condition.compile;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import java.util.ArrayDeque;
import java.util.Deque;

/// Compiles patterns once, at load, under limits. RE2/J matches in time linear in the text, whatever the pattern.
public final class Regexes {
    /// No rule needs a longer one; lists of words belong into `in [...]`.
    public static final int PATTERN_CHARS_MAX = 1_000;

    /// Instructions of the compiled pattern: what every character of the text may cost.
    public static final int PROGRAM_SIZE_MAX = 5_000;

    /// Product of nested counted repetitions, checked before compiling: `((a{99}){99}){99}` would fill the
    /// memory first.
    private static final long REPEAT_MAX = 1_000;

    /// A pattern, or why it is none.
    public sealed interface Compiled {
        record Ok(Pattern pattern) implements Compiled {}

        record Refused(String reason) implements Compiled {}
    }

    private Regexes() {}

    public static Compiled compile(String text) {
        return compile(text, 0);
    }

    public static Compiled compile(String text, int flags) {
        if (text.length() > PATTERN_CHARS_MAX) {
            return new Compiled.Refused("the pattern is longer than " + PATTERN_CHARS_MAX + " characters");
        }
        if (repetition(text) > REPEAT_MAX) {
            return new Compiled.Refused("its nested repetitions exceed " + REPEAT_MAX);
        }
        try {
            Pattern pattern = Pattern.compile(text, flags);
            return pattern.programSize() > PROGRAM_SIZE_MAX
                    ? new Compiled.Refused("the pattern compiles to more than " + PROGRAM_SIZE_MAX + " steps")
                    : new Compiled.Ok(pattern);
        } catch (PatternSyntaxException malformed) {
            return new Compiled.Refused(malformed.getDescription());
        }
    }

    /// The largest product of `{n}` bounds along one path of nested groups. Errs on the large side.
    private static long repetition(String pattern) {
        Deque<Long> open = new ArrayDeque<>();
        long widest = 1;
        long lastAtom = 1;
        for (int i = 0; i < pattern.length(); i++) {
            char c = pattern.charAt(i);
            switch (c) {
                case '\\' -> {
                    i++;
                    lastAtom = 1;
                }
                case '(' -> {
                    open.push(widest);
                    widest = 1;
                }
                case ')' -> {
                    lastAtom = widest;
                    widest = Math.max(widest, open.isEmpty() ? 1 : open.pop());
                }
                case '{' -> {
                    int end = pattern.indexOf('}', i);
                    long bound = end < 0 ? 1 : bound(pattern.substring(i + 1, end));
                    lastAtom = Math.min(Long.MAX_VALUE / 1_000_000, lastAtom * bound);
                    widest = Math.max(widest, lastAtom);
                    i = end < 0 ? i : end;
                }
                default -> lastAtom = 1;
            }
        }
        return widest;
    }

    private static long bound(String counts) {
        String upper = counts.substring(counts.indexOf(',') + 1);
        String shown = upper.isEmpty() ? counts.substring(0, counts.length() - 1) : upper;
        return shown.matches("[0-9]{1,6}") ? Math.max(1, Long.parseLong(shown)) : 1;
    }
}
