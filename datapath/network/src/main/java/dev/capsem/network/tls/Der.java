package dev.capsem.network.tls;

import java.io.ByteArrayOutputStream;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;

/// Writes the few ASN.1 shapes that a certificate is made of (X.690 DER).
final class Der {
    private static final int BOOLEAN = 0x01;
    private static final int INTEGER = 0x02;
    private static final int BIT_STRING = 0x03;
    private static final int OCTET_STRING = 0x04;
    private static final int OBJECT_IDENTIFIER = 0x06;
    private static final int UTF8_STRING = 0x0c;
    private static final int UTC_TIME = 0x17;
    private static final int GENERALIZED_TIME = 0x18;
    private static final int SEQUENCE = 0x30;
    private static final int SET = 0x31;
    private static final int CONTEXT = 0x80;
    private static final int CONSTRUCTED = 0x20;

    /// RFC 5280 §4.1.2.5: dates through 2049 are UTCTime, later ones GeneralizedTime.
    private static final int UTC_TIME_YEAR_MAX = 2049;

    private static final DateTimeFormatter UTC = DateTimeFormatter.ofPattern("yyMMddHHmmss'Z'");
    private static final DateTimeFormatter GENERALIZED = DateTimeFormatter.ofPattern("yyyyMMddHHmmss'Z'");

    private Der() {}

    static byte[] sequence(byte[]... parts) {
        return tagged(SEQUENCE, joined(parts));
    }

    static byte[] set(byte[]... parts) {
        return tagged(SET, joined(parts));
    }

    static byte[] yes() {
        return tagged(BOOLEAN, new byte[] {(byte) 0xff});
    }

    static byte[] integer(BigInteger value) {
        return tagged(INTEGER, value.toByteArray());
    }

    static byte[] bitString(int unusedBits, byte[] bits) {
        return tagged(BIT_STRING, joined(new byte[] {(byte) unusedBits}, bits));
    }

    static byte[] octetString(byte[] bytes) {
        return tagged(OCTET_STRING, bytes);
    }

    static byte[] utf8(String text) {
        return tagged(UTF8_STRING, text.getBytes(StandardCharsets.UTF_8));
    }

    static byte[] time(Instant at) {
        ZonedDateTime date = at.atZone(ZoneOffset.UTC);
        boolean isShort = date.getYear() <= UTC_TIME_YEAR_MAX;
        String text = (isShort ? UTC : GENERALIZED).format(date);
        return tagged(isShort ? UTC_TIME : GENERALIZED_TIME, text.getBytes(StandardCharsets.US_ASCII));
    }

    /// A context-specific tag around whole elements.
    static byte[] explicit(int number, byte[] element) {
        return tagged(CONTEXT | CONSTRUCTED | number, element);
    }

    /// A context-specific tag in place of a primitive's own.
    static byte[] implicit(int number, byte[] content) {
        return tagged(CONTEXT | number, content);
    }

    static byte[] oid(String dotted) {
        String[] arcs = dotted.split("\\.");
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.write(Integer.parseInt(arcs[0]) * 40 + Integer.parseInt(arcs[1]));
        for (int i = 2; i < arcs.length; i++) {
            base128(out, Long.parseLong(arcs[i]));
        }
        return tagged(OBJECT_IDENTIFIER, out.toByteArray());
    }

    private static void base128(ByteArrayOutputStream out, long value) {
        int groups = Math.max(1, (Long.SIZE - Long.numberOfLeadingZeros(value) + 6) / 7);
        for (int i = groups - 1; i >= 0; i--) {
            int bits = (int) (value >>> (7 * i)) & 0x7f;
            out.write(i == 0 ? bits : bits | 0x80);
        }
    }

    private static byte[] tagged(int tag, byte[] content) {
        ByteArrayOutputStream out = new ByteArrayOutputStream(content.length + 6);
        out.write(tag);
        if (content.length < 0x80) {
            out.write(content.length);
        } else {
            byte[] length = BigInteger.valueOf(content.length).toByteArray();
            int start = length[0] == 0 ? 1 : 0;
            out.write(0x80 | (length.length - start));
            out.write(length, start, length.length - start);
        }
        out.writeBytes(content);
        return out.toByteArray();
    }

    private static byte[] joined(byte[]... parts) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            out.writeBytes(part);
        }
        return out.toByteArray();
    }
}
