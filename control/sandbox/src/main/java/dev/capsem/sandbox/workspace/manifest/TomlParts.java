package dev.capsem.sandbox.workspace.manifest;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/// What a TOML file sets, by key. Reads the plain part of the language and gives up on the rest (quoted keys, strings
/// over several lines): a file that two readers could understand differently must not pass for harmless.
final class TomlParts {
    private static final char END = '\0';

    private final String text;
    private final Map<String, String> values = new LinkedHashMap<>();
    private final Map<String, Integer> lists = new HashMap<>();
    private int at;

    private static final class Unclear extends Exception {
        private static final long serialVersionUID = 1L;

        Unclear() {
            super("unclear", null, false, false);
        }
    }

    private TomlParts(String text) {
        this.text = text;
    }

    /// From the whole key, such as `project.name`, to its value without space; empty if it is not plain.
    static Optional<Map<String, String>> of(String text) {
        String lines = text.replace("\r\n", "\n");
        boolean isOdd =
                lines.chars().anyMatch(letter -> Character.isISOControl(letter) && letter != '\n' && letter != '\t');
        if (isOdd) {
            return Optional.empty();
        }
        var parts = new TomlParts(lines);
        try {
            parts.read();
            return Optional.of(parts.values);
        } catch (Unclear e) {
            return Optional.empty();
        }
    }

    private void read() throws Unclear {
        String table = "";
        for (skip(true); peek() != END; skip(true)) {
            if (peek() == '[') {
                table = header() + ".";
            } else {
                String key = table + key();
                expect('=');
                if (values.putIfAbsent(key, value()) != null) {
                    throw new Unclear();
                }
            }
            skip(false);
            if (peek() != '\n' && peek() != END) {
                throw new Unclear();
            }
        }
    }

    private String header() throws Unclear {
        at++;
        boolean isList = peek() == '[';
        at += isList ? 1 : 0;
        String name = key();
        expect(']');
        if (!isList) {
            return name;
        }
        if (peek() != ']') {
            throw new Unclear();
        }
        at++;
        return name + "[" + lists.merge(name, 1, Integer::sum) + "]";
    }

    private String key() throws Unclear {
        var key = new StringBuilder();
        while (true) {
            skip(false);
            int start = at;
            while (isBare(peek())) {
                at++;
            }
            if (at == start) {
                throw new Unclear();
            }
            key.append(text, start, at);
            skip(false);
            if (peek() != '.') {
                return key.toString();
            }
            key.append('.');
            at++;
        }
    }

    private static boolean isBare(char letter) {
        return (letter >= 'a' && letter <= 'z')
                || (letter >= 'A' && letter <= 'Z')
                || (letter >= '0' && letter <= '9')
                || letter == '_'
                || letter == '-';
    }

    private String value() throws Unclear {
        var value = new StringBuilder();
        int depth = 0;
        while (true) {
            skip(depth > 0);
            char letter = peek();
            if (letter == END || letter == '\n') {
                if (depth > 0 || value.isEmpty()) {
                    throw new Unclear();
                }
                return value.toString();
            }
            if (letter == '"' || letter == '\'') {
                value.append(string(letter));
                continue;
            }
            depth += letter == '[' || letter == '{' ? 1 : letter == ']' || letter == '}' ? -1 : 0;
            if (depth < 0) {
                throw new Unclear();
            }
            value.append(letter);
            at++;
        }
    }

    private String string(char quote) throws Unclear {
        if (text.startsWith(String.valueOf(quote).repeat(3), at)) {
            throw new Unclear();
        }
        int start = at++;
        while (peek() != quote) {
            if (peek() == END || peek() == '\n') {
                throw new Unclear();
            }
            at += peek() == '\\' && quote == '"' ? 2 : 1;
        }
        return text.substring(start, ++at);
    }

    private void expect(char wanted) throws Unclear {
        if (peek() != wanted) {
            throw new Unclear();
        }
        at++;
    }

    private void skip(boolean overLines) {
        while (true) {
            char letter = peek();
            if (letter == '#') {
                int line = text.indexOf('\n', at);
                at = line < 0 ? text.length() : line;
            } else if (letter == ' ' || letter == '\t' || (overLines && letter == '\n')) {
                at++;
            } else {
                return;
            }
        }
    }

    private char peek() {
        return at < text.length() ? text.charAt(at) : END;
    }
}
