package dev.capsem.telemetry.inspect;

import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/// Lets one SELECT, WITH or EXPLAIN through, by its words alone. The connection refuses writing anyway; this keeps out
/// what a read-only connection still does: PRAGMA, ATTACH, VACUUM INTO, and whatever hides behind a semicolon.
final class SqlGate {
    private static final Set<String> QUERIES = Set.of("SELECT", "WITH");
    private static final Set<String> KNOWN = Set.of(
            "INSERT",
            "UPDATE",
            "DELETE",
            "REPLACE",
            "CREATE",
            "DROP",
            "ALTER",
            "ATTACH",
            "DETACH",
            "PRAGMA",
            "VACUUM",
            "REINDEX",
            "ANALYZE",
            "BEGIN",
            "COMMIT",
            "END",
            "ROLLBACK",
            "SAVEPOINT",
            "RELEASE");
    private static final int WORD_SHOWN_MAX = 20;

    private final String sql;
    private int at;

    private SqlGate(String sql) {
        this.sql = sql;
    }

    /// Why the text is refused; empty when it may run.
    static Optional<String> refusal(String sql) {
        return new SqlGate(sql).check();
    }

    private Optional<String> check() {
        if (sql.indexOf('\0') >= 0) {
            return Optional.of("a query holds no NUL");
        }
        String word = word();
        if (word.equals("EXPLAIN")) {
            word = word();
            if (word.equals("QUERY")) {
                word(); // PLAN
                word = word();
            }
            // Some PRAGMAs take effect while they are compiled, so explaining one runs it.
            if (!QUERIES.contains(word)) {
                return Optional.of("EXPLAIN is for SELECT and WITH");
            }
        }
        if (!QUERIES.contains(word)) {
            return Optional.of(notAQuery(word));
        }
        return onlyOne();
    }

    private static String notAQuery(String word) {
        if (word.isEmpty()) {
            return "empty query";
        }
        return KNOWN.contains(word)
                ? word + " statements are not allowed"
                : "unsupported statement type: " + word.substring(0, Math.min(word.length(), WORD_SHOWN_MAX));
    }

    /// The next word, in capitals; empty when something else comes.
    private String word() {
        skipBlank();
        int start = at;
        while (at < sql.length() && isLetter(sql.charAt(at))) {
            at++;
        }
        return sql.substring(start, at).toUpperCase(Locale.ROOT);
    }

    private static boolean isLetter(char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    }

    private Optional<String> onlyOne() {
        while (at < sql.length()) {
            char c = sql.charAt(at);
            switch (c) {
                case '\'', '"', '`' -> skipQuoted(c);
                case '[' -> skipQuoted(']');
                case '-', '/' -> {
                    if (!skipComment()) {
                        at++;
                    }
                }
                case ';' -> {
                    at++;
                    skipBlank();
                    return at == sql.length() ? Optional.empty() : Optional.of("only one statement is allowed");
                }
                default -> at++;
            }
        }
        return Optional.empty();
    }

    /// A doubled quote ends one text and begins the next, which comes to the same.
    private void skipQuoted(char end) {
        int close = sql.indexOf(end, at + 1);
        at = close < 0 ? sql.length() : close + 1;
    }

    private void skipBlank() {
        while (at < sql.length()) {
            if (Character.isWhitespace(sql.charAt(at))) {
                at++;
            } else if (!skipComment()) {
                return;
            }
        }
    }

    private boolean skipComment() {
        if (sql.startsWith("--", at)) {
            int end = sql.indexOf('\n', at);
            at = end < 0 ? sql.length() : end + 1;
            return true;
        }
        if (sql.startsWith("/*", at)) {
            int end = sql.indexOf("*/", at + 2);
            at = end < 0 ? sql.length() : end + 2;
            return true;
        }
        return false;
    }
}
