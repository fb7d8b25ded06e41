package dev.capsem.source.json;

import dev.capsem.source.LineIndex;
import dev.capsem.source.Position;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// Reads RFC 8259 text strictly: UTF-8 without lone surrogates, no comments, no trailing commas, bounded depth
/// and size.
public final class JsonReader {
    /// A manifest of 100 000 tools is about 10 MiB; anything larger is refused before it is read to the end.
    public static final int BYTES_MAX = 16 * 1024 * 1024;

    /// Manifests nest five deep and tool input schemas rarely beyond twenty; the bound keeps the recursion safe.
    public static final int DEPTH_MAX = 64;

    /// Bounds memory for inputs such as `[0,0,0,…]`, where each value costs far more than its two bytes.
    public static final int VALUES_MAX = 2_000_000;

    /// As many as are ever reported.
    private static final int DUPLICATES_MAX = 100;

    private final String text;
    private final List<ParsedJson.Duplicate> duplicates = new ArrayList<>();
    private int at;
    private int values;

    private JsonReader(String text) {
        this.text = text;
    }

    public static JsonReading read(byte[] bytes) {
        if (bytes.length > BYTES_MAX) {
            return new JsonReading.Malformed("the text is larger than " + BYTES_MAX + " bytes", 1, 1);
        }
        String text;
        try {
            text = StandardCharsets.UTF_8
                    .newDecoder()
                    .onMalformedInput(CodingErrorAction.REPORT)
                    .onUnmappableCharacter(CodingErrorAction.REPORT)
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
        } catch (CharacterCodingException e) {
            return new JsonReading.Malformed("the text is not valid UTF-8", 1, 1);
        }
        return read(text);
    }

    public static JsonReading read(String text) {
        // A UTF-16 unit is at most three bytes of UTF-8, so this is the cheap form of the same bound.
        if (text.length() > BYTES_MAX) {
            return new JsonReading.Malformed("the text is larger than " + BYTES_MAX + " bytes", 1, 1);
        }
        JsonReader reader = new JsonReader(text);
        try {
            JsonValue root = reader.document();
            return new JsonReading.Parsed(new ParsedJson(text, root, reader.duplicates));
        } catch (Unreadable e) {
            Position place = new LineIndex(text).position(Math.min(reader.at, text.length()));
            return new JsonReading.Malformed(e.reason, place.line(), place.column());
        }
    }

    private JsonValue document() throws Unreadable {
        skipBlanks();
        JsonValue root = value(0, "");
        skipBlanks();
        if (at < text.length()) {
            throw new Unreadable("unexpected text after the end of the value");
        }
        return root;
    }

    private JsonValue value(int depth, String pointer) throws Unreadable {
        if (depth > DEPTH_MAX) {
            throw new Unreadable("values nest deeper than " + DEPTH_MAX + " levels");
        }
        if (++values > VALUES_MAX) {
            throw new Unreadable("more than " + VALUES_MAX + " values");
        }
        int start = at;
        return switch (peek()) {
            case '{' -> members(depth, pointer);
            case '[' -> items(depth, pointer);
            case '"' -> new JsonValue.Text(string(), start);
            case 't' -> word("true", new JsonValue.Bool(true, start));
            case 'f' -> word("false", new JsonValue.Bool(false, start));
            case 'n' -> word("null", new JsonValue.Null(start));
            default -> number();
        };
    }

    private JsonValue members(int depth, String pointer) throws Unreadable {
        int start = at++;
        Map<String, JsonValue> map = new LinkedHashMap<>();
        skipBlanks();
        if (peek() == '}') {
            at++;
            return new JsonValue.Members(map, start);
        }
        while (true) {
            skipBlanks();
            int nameStart = at;
            if (peek() != '"') {
                throw new Unreadable("expected a member name in double quotes");
            }
            String name = string();
            skipBlanks();
            expect(':');
            skipBlanks();
            // Pointers are needed for duplicates only, and those are reported on outer levels, where text is short.
            String below = depth < 4 ? pointer + "/" + escape(name) : pointer;
            JsonValue value = value(depth + 1, below);
            if (map.containsKey(name) && duplicates.size() < DUPLICATES_MAX) {
                duplicates.add(new ParsedJson.Duplicate(name, below, nameStart));
            }
            map.put(name, value);
            skipBlanks();
            if (peek() == '}') {
                at++;
                return new JsonValue.Members(map, start);
            }
            expect(',');
        }
    }

    private JsonValue items(int depth, String pointer) throws Unreadable {
        int start = at++;
        List<JsonValue> list = new ArrayList<>();
        skipBlanks();
        if (peek() == ']') {
            at++;
            return new JsonValue.Items(list, start);
        }
        while (true) {
            skipBlanks();
            list.add(value(depth + 1, depth < 4 ? pointer + "/" + list.size() : pointer));
            skipBlanks();
            if (peek() == ']') {
                at++;
                return new JsonValue.Items(list, start);
            }
            expect(',');
        }
    }

    private String string() throws Unreadable {
        int start = ++at;
        // The common string has no escape and needs no copy beyond the substring.
        while (at < text.length() && text.charAt(at) != '"' && text.charAt(at) != '\\' && text.charAt(at) >= 0x20) {
            at++;
        }
        if (peek() == '"') {
            return checked(text.substring(start, at++));
        }
        StringBuilder value = new StringBuilder(text.substring(start, at));
        while (true) {
            char c = peek();
            if (c == '"') {
                at++;
                return checked(value.toString());
            }
            if (c < 0x20) {
                throw new Unreadable("a control character must be escaped inside a string");
            }
            at++;
            value.append(c == '\\' ? escaped() : c);
        }
    }

    private char escaped() throws Unreadable {
        char c = peek();
        at++;
        return switch (c) {
            case '"', '\\', '/' -> c;
            case 'b' -> '\b';
            case 'f' -> '\f';
            case 'n' -> '\n';
            case 'r' -> '\r';
            case 't' -> '\t';
            case 'u' -> hex();
            default -> {
                at--;
                throw new Unreadable("unknown escape in a string");
            }
        };
    }

    private char hex() throws Unreadable {
        int unit = 0;
        for (int i = 0; i < 4; i++) {
            char c = peek();
            int digit = c < 0x80 ? Character.digit(c, 16) : -1;
            if (digit < 0) {
                throw new Unreadable("expected four hexadecimal digits after \\u");
            }
            unit = unit << 4 | digit;
            at++;
        }
        return (char) unit;
    }

    /// A lone surrogate has no UTF-8 form, so two different manifests could share one hash.
    private String checked(String value) throws Unreadable {
        // codePointAt gives a surrogate only where its partner is missing.
        boolean lone = value.codePoints().anyMatch(point -> point >= 0xd800 && point <= 0xdfff);
        if (lone) {
            throw new Unreadable("a string holds a lone surrogate");
        }
        return value;
    }

    private JsonValue number() throws Unreadable {
        int start = at;
        if (peek() == '-') {
            at++;
        }
        int whole = digits();
        if (whole == 0) {
            throw new Unreadable(at == start ? "expected a JSON value" : "expected a digit");
        }
        if (whole > 1 && text.charAt(at - whole) == '0') {
            throw new Unreadable("a number may not begin with 0");
        }
        if (at < text.length() && text.charAt(at) == '.') {
            at++;
            if (digits() == 0) {
                throw new Unreadable("expected a digit after the decimal point");
            }
        }
        if (at < text.length() && (text.charAt(at) == 'e' || text.charAt(at) == 'E')) {
            at++;
            if (at < text.length() && (text.charAt(at) == '+' || text.charAt(at) == '-')) {
                at++;
            }
            if (digits() == 0) {
                throw new Unreadable("expected a digit in the exponent");
            }
        }
        return new JsonValue.Numeral(text.substring(start, at), start);
    }

    private int digits() {
        int start = at;
        while (at < text.length() && text.charAt(at) >= '0' && text.charAt(at) <= '9') {
            at++;
        }
        return at - start;
    }

    private JsonValue word(String word, JsonValue value) throws Unreadable {
        if (!text.startsWith(word, at)) {
            throw new Unreadable("expected a JSON value");
        }
        at += word.length();
        return value;
    }

    private void skipBlanks() {
        while (at < text.length() && " \t\n\r".indexOf(text.charAt(at)) >= 0) {
            at++;
        }
    }

    private char peek() throws Unreadable {
        if (at >= text.length()) {
            throw new Unreadable("the text ends too early");
        }
        return text.charAt(at);
    }

    private void expect(char c) throws Unreadable {
        if (peek() != c) {
            throw new Unreadable("expected '" + c + "'");
        }
        at++;
    }

    private static String escape(String name) {
        return name.replace("~", "~0").replace("/", "~1");
    }

    /// Leaves the recursion at the first fault; never seen outside this class.
    private static final class Unreadable extends Exception {
        private static final long serialVersionUID = 1L;
        private final String reason;

        Unreadable(String reason) {
            super(reason, null, false, false);
            this.reason = reason;
        }
    }
}
