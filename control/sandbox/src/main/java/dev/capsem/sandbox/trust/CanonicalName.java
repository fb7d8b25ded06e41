package dev.capsem.sandbox.trust;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import javax.security.auth.x500.X500Principal;

/// A distinguished name as OpenSSL hashes it: its parts without the sequence around them, each text in UTF-8, in lower
/// case, with single spaces.
final class CanonicalName {
    private static final int SEQUENCE = 0x30;
    private static final int SET = 0x31;
    private static final int UTF8_STRING = 0x0c;
    private static final int BMP_STRING = 0x1e;
    private static final int UNIVERSAL_STRING = 0x1c;

    private CanonicalName() {}

    static byte[] of(X500Principal name) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteBuffer parts = content(ByteBuffer.wrap(name.getEncoded()));
        while (parts.hasRemaining()) {
            ByteBuffer part = content(parts);
            ByteArrayOutputStream pairs = new ByteArrayOutputStream();
            while (part.hasRemaining()) {
                pairs.writeBytes(pair(content(part)));
            }
            out.writeBytes(element(SET, pairs.toByteArray()));
        }
        return out.toByteArray();
    }

    /// The kind of a name's part, then its text.
    private static byte[] pair(ByteBuffer pair) {
        int start = pair.position();
        content(pair);
        byte[] kind = new byte[pair.position() - start];
        pair.get(start, kind);
        int tag = pair.get(pair.position());
        byte[] text = bytes(content(pair));
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.writeBytes(kind);
        out.writeBytes(element(UTF8_STRING, canonical(new String(text, charset(tag)))));
        return element(SEQUENCE, out.toByteArray());
    }

    private static Charset charset(int tag) {
        return switch (tag) {
            case UTF8_STRING -> StandardCharsets.UTF_8;
            case BMP_STRING -> StandardCharsets.UTF_16BE;
            case UNIVERSAL_STRING -> StandardCharsets.UTF_32BE;
            default -> StandardCharsets.ISO_8859_1;
        };
    }

    private static byte[] canonical(String text) {
        return text.strip()
                .replaceAll("\\s+", " ")
                .chars()
                .mapToObj(c -> c < 0x80 ? String.valueOf((char) c).toLowerCase(Locale.ROOT) : String.valueOf((char) c))
                .reduce("", String::concat)
                .getBytes(StandardCharsets.UTF_8);
    }

    /// The content of the element at the buffer's position, which moves behind it.
    private static ByteBuffer content(ByteBuffer in) {
        in.get();
        int length = Byte.toUnsignedInt(in.get());
        if (length >= 0x80) {
            int octets = length & 0x7f;
            length = 0;
            for (int i = 0; i < octets; i++) {
                length = length << 8 | Byte.toUnsignedInt(in.get());
            }
        }
        ByteBuffer content = in.slice(in.position(), length);
        in.position(in.position() + length);
        return content;
    }

    private static byte[] bytes(ByteBuffer buffer) {
        byte[] bytes = new byte[buffer.remaining()];
        buffer.get(bytes);
        return bytes;
    }

    private static byte[] element(int tag, byte[] content) {
        ByteArrayOutputStream out = new ByteArrayOutputStream(content.length + 4);
        out.write(tag);
        if (content.length >= 0x100) {
            out.write(0x82);
            out.write(content.length >> 8);
        } else if (content.length >= 0x80) {
            out.write(0x81);
        }
        out.write(content.length);
        out.writeBytes(content);
        return out.toByteArray();
    }
}
