package dev.capsem.broker;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// A JSON text, read only to find one string in it: everything else stays as its writer wrote it.
final class JsonText {
    private static final int DEPTH_MAX = 128;

    /// A string without its quotes.
    record Found(int from, int to) {}

    /// It is no JSON as far as it was read.
    private static final class Unreadable extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Unreadable() {
            super(null, null, false, false);
        }
    }

    private final byte[] text;
    private int at;
    private @Nullable Found found;

    private JsonText(byte[] text) {
        this.text = text;
    }

    /// @return the last string that the pointer leads to, as most readers take the last of a repeated name
    static Optional<Found> find(byte[] text, JsonPointer pointer) {
        JsonText reader = new JsonText(text);
        try {
            reader.value(pointer, 0, 0);
            reader.blanks();
            return reader.at == text.length ? Optional.ofNullable(reader.found) : Optional.empty();
        } catch (Unreadable | IndexOutOfBoundsException unreadable) {
            return Optional.empty();
        }
    }

    /// The string as its reader understands it.
    static String unescaped(byte[] text, Found found) {
        StringBuilder out = new StringBuilder();
        String raw = new String(text, found.from(), found.to() - found.from(), StandardCharsets.UTF_8);
        for (int i = 0; i < raw.length(); i++) {
            char c = raw.charAt(i);
            if (c != '\\') {
                out.append(c);
                continue;
            }
            char escape = raw.charAt(++i);
            switch (escape) {
                case 'n' -> out.append('\n');
                case 'r' -> out.append('\r');
                case 't' -> out.append('\t');
                case 'b' -> out.append('\b');
                case 'f' -> out.append('\f');
                case 'u' -> {
                    out.append((char) HexFormat.fromHexDigits(raw, i + 1, i + 5));
                    i += 4;
                }
                default -> out.append(escape);
            }
        }
        return out.toString();
    }

    static byte[] spliced(byte[] text, Found found, byte[] instead) {
        ByteArrayOutputStream out = new ByteArrayOutputStream(text.length + instead.length);
        out.write(text, 0, found.from());
        out.writeBytes(instead);
        out.write(text, found.to(), text.length - found.to());
        return out.toByteArray();
    }

    /// @param matched how many steps of the pointer lead here; negative if they do not
    private void value(JsonPointer pointer, int matched, int depth) {
        blanks();
        if (depth > DEPTH_MAX) {
            throw new Unreadable();
        }
        switch (text[at]) {
            case '{' -> members(pointer, matched, depth);
            case '[' -> elements(pointer, matched, depth);
            case '"' -> {
                Found string = string();
                if (matched == pointer.steps().size()) {
                    found = string;
                }
            }
            default -> {
                int from = at;
                while (at < text.length && "-+.eE0123456789truefalsn".indexOf(text[at]) >= 0) {
                    at++;
                }
                require(at > from);
            }
        }
    }

    private void members(JsonPointer pointer, int matched, int depth) {
        at++;
        blanks();
        if (text[at] == '}') {
            at++;
            return;
        }
        do {
            blanks();
            Found name = string();
            int next = step(pointer, matched, unescaped(text, name));
            blanks();
            require(text[at++] == ':');
            value(pointer, next, depth + 1);
            blanks();
        } while (text[at++] == ',');
        require(text[at - 1] == '}');
    }

    private void elements(JsonPointer pointer, int matched, int depth) {
        at++;
        blanks();
        if (text[at] == ']') {
            at++;
            return;
        }
        int index = 0;
        do {
            value(pointer, step(pointer, matched, Integer.toString(index++)), depth + 1);
            blanks();
        } while (text[at++] == ',');
        require(text[at - 1] == ']');
    }

    private static int step(JsonPointer pointer, int matched, String name) {
        boolean leads = matched >= 0
                && matched < pointer.steps().size()
                && pointer.steps().get(matched).equals(name);
        return leads ? matched + 1 : -1;
    }

    private Found string() {
        require(text[at++] == '"');
        int from = at;
        while (text[at] != '"') {
            if (text[at] == '\\') {
                at++;
                if (text[at] == 'u') {
                    for (int i = 1; i <= 4; i++) {
                        require(HexFormat.isHexDigit(text[at + i]));
                    }
                }
            }
            at++;
        }
        return new Found(from, at++);
    }

    private void blanks() {
        while (at < text.length && (text[at] == ' ' || text[at] == '\n' || text[at] == '\r' || text[at] == '\t')) {
            at++;
        }
    }

    private static void require(boolean holds) {
        if (!holds) {
            throw new Unreadable();
        }
    }
}
