package dev.capsem.http;

import dev.capsem.wire.json.Json;
import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.FilterReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.io.SequenceInputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.node.ObjectNode;

/// Parts of JSON documents that are sent while they are made: a text of 10 MiB may take 60 MiB as JSON.
public final class LongJson {
    /// What is shorter is cheaper to copy than to read in portions; most of what commands print is.
    private static final int SHORT_BYTES_MAX = 8_192;

    private LongJson() {}

    /// @param utf8 bytes that are not UTF-8 become U+FFFD
    public static void text(JsonGenerator out, String name, InputStream utf8) {
        try {
            byte[] head = utf8.readNBytes(SHORT_BYTES_MAX);
            out.writeName(name);
            if (head.length < SHORT_BYTES_MAX) {
                out.writeString(new String(head, StandardCharsets.UTF_8));
                return;
            }
            InputStream whole = new SequenceInputStream(new ByteArrayInputStream(head), utf8);
            out.writeString(new WholeCharacters(new InputStreamReader(whole, StandardCharsets.UTF_8)), -1);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
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
