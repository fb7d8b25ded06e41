package dev.capsem.service.http;

import dev.capsem.wire.json.Json;
import java.io.BufferedReader;
import java.io.FilterReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.node.ObjectNode;

/// Parts of JSON documents that are sent while they are made: a text of 10 MiB may take 60 MiB as JSON.
public final class LongJson {
    private LongJson() {}

    /// @param utf8 bytes that are not UTF-8 become U+FFFD
    public static void text(JsonGenerator out, String name, InputStream utf8) {
        out.writeName(name);
        out.writeString(new WholeCharacters(new InputStreamReader(utf8, StandardCharsets.UTF_8)), -1);
    }

    /// @param size how many bytes there are
    public static void base64(JsonGenerator out, String name, InputStream bytes, int size) {
        out.writeName(name);
        out.writeBinary(bytes, size);
    }

    public static void members(JsonGenerator out, ObjectNode members) {
        members.forEachEntry((name, value) -> {
            out.writeName(name);
            Json.write(out, value);
        });
    }

    /// Never ends between the two halves of a character: the generator takes each portion for complete.
    private static final class WholeCharacters extends FilterReader {
        WholeCharacters(Reader in) {
            super(new BufferedReader(in));
        }

        @Override
        public int read(char[] buffer, int offset, int length) throws IOException {
            in.mark(length);
            int count = in.read(buffer, offset, length);
            if (count < 2 || !Character.isHighSurrogate(buffer[offset + count - 1])) {
                return count;
            }
            in.reset();
            return in.read(buffer, offset, count - 1);
        }
    }
}
