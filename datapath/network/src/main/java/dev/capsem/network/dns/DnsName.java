package dev.capsem.network.dns;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/// A domain name in its one spelling: lower case. Two names are equal if DNS says so.
final class DnsName {
    static final int BYTES_MAX = 255;
    static final int LABEL_BYTES_MAX = 63;

    private static final int POINTER = 0xc0;
    /// A name has at most 127 labels, and whoever compresses needs one pointer; more are an attempt to make us work.
    private static final int POINTERS_MAX = 16;

    private final String text;
    private final byte[] wire;

    private DnsName(String text, byte[] wire) {
        this.text = text;
        this.wire = wire;
    }

    /// A host name of letters, digits, hyphens and underscores, as people and URLs write them; empty if it is none.
    static Optional<DnsName> ofHost(String host) {
        String name = host.endsWith(".") ? host.substring(0, host.length() - 1) : host;
        ByteArrayOutputStream out = new ByteArrayOutputStream(name.length() + 2);
        for (String label : name.split("\\.", -1)) {
            if (label.isEmpty() || label.length() > LABEL_BYTES_MAX || !isPlain(label)) {
                return Optional.empty();
            }
            out.write(label.length());
            out.writeBytes(lowerCase(label.getBytes(StandardCharsets.US_ASCII)));
        }
        out.write(0);
        return out.size() > BYTES_MAX ? Optional.empty() : Optional.of(ofWire(out.toByteArray()));
    }

    /// Reads a name, compressed or not, and leaves the reader behind it.
    static DnsName read(WireReader in) {
        ByteArrayOutputStream out = new ByteArrayOutputStream(64);
        WireReader at = in;
        int segmentStart = in.position();
        int pointers = 0;
        while (true) {
            int length = at.u8();
            if (length == 0) {
                out.write(0);
                return ofWire(lowerCase(out.toByteArray()));
            }
            if ((length & POINTER) == POINTER) {
                int offset = (length & ~POINTER) << 8 | at.u8();
                // Only backwards: so a chain of pointers is finite, whatever it says.
                if (offset >= segmentStart || ++pointers > POINTERS_MAX) {
                    throw new MalformedMessageException("invalid compression pointer");
                }
                segmentStart = offset;
                at = in.at(offset);
                continue;
            }
            if (length > LABEL_BYTES_MAX) {
                throw new MalformedMessageException("a label of an unknown kind");
            }
            if (out.size() + length + 2 > BYTES_MAX) {
                throw new MalformedMessageException("a name is too long");
            }
            out.write(length);
            out.writeBytes(at.bytes(length));
        }
    }

    private static DnsName ofWire(byte[] wire) {
        return new DnsName(text(wire), wire);
    }

    /// As zone files write it, without the last dot (the root is `.`), so that no dot is mistaken for a separator.
    String text() {
        return text;
    }

    byte[] wire() {
        return wire.clone();
    }

    int wireLength() {
        return wire.length;
    }

    void write(WireWriter out) {
        out.bytes(wire);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof DnsName name && text.equals(name.text);
    }

    @Override
    public int hashCode() {
        return text.hashCode();
    }

    @Override
    public String toString() {
        return text;
    }

    private static String text(byte[] wire) {
        if (wire.length == 1) {
            return ".";
        }
        StringBuilder text = new StringBuilder(wire.length);
        int at = 0;
        while (wire[at] != 0) {
            if (!text.isEmpty()) {
                text.append('.');
            }
            int end = at + 1 + wire[at];
            for (int i = at + 1; i < end; i++) {
                appendReadable(text, Byte.toUnsignedInt(wire[i]));
            }
            at = end;
        }
        return text.toString();
    }

    private static void appendReadable(StringBuilder text, int octet) {
        boolean isPlain = octet > 0x20 && octet < 0x7f && octet != '.' && octet != '\\';
        if (isPlain) {
            text.append((char) octet);
        } else {
            text.append('\\').append((char) ('0' + octet / 100)).append((char) ('0' + octet / 10 % 10));
            text.append((char) ('0' + octet % 10));
        }
    }

    private static byte[] lowerCase(byte[] bytes) {
        // Length octets are below 64 and so never taken for a letter.
        for (int i = 0; i < bytes.length; i++) {
            if (bytes[i] >= 'A' && bytes[i] <= 'Z') {
                bytes[i] = (byte) (bytes[i] + 'a' - 'A');
            }
        }
        return bytes;
    }

    private static boolean isPlain(String label) {
        return label.chars()
                .allMatch(c -> (c >= 'a' && c <= 'z')
                        || (c >= 'A' && c <= 'Z')
                        || (c >= '0' && c <= '9')
                        || c == '-'
                        || c == '_');
    }
}
