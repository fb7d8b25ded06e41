package dev.capsem.network.dns;

import java.io.ByteArrayOutputStream;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// DNS messages written byte by byte, so that the codec is not tested against itself.
final class Messages {
    static final int A = 1;
    static final int CNAME = 5;
    static final int SOA = 6;
    static final int TXT = 16;
    static final int AAAA = 28;
    static final int HTTPS = 65;

    private Messages() {}

    static byte[] query(int id, String name, int type) {
        return bytes(header(id, 0x0100, 1, 0, 0, 0), question(name, type));
    }

    static byte[] queryWithEdns(int id, String name, int type, int payload) {
        return bytes(
                header(id, 0x0100, 1, 0, 0, 1), question(name, type), new byte[] {0, 0, 41}, u16(payload), new byte[6]);
    }

    static byte[] header(int id, int flags, int questions, int answers, int authorities, int additionals) {
        return bytes(u16(id), u16(flags), u16(questions), u16(answers), u16(authorities), u16(additionals));
    }

    static byte[] question(String name, int type) {
        return bytes(name(name), u16(type), u16(1));
    }

    static byte[] name(String name) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (String label : name.split("\\.")) {
            out.write(label.length());
            out.writeBytes(label.getBytes(StandardCharsets.US_ASCII));
        }
        out.write(0);
        return out.toByteArray();
    }

    static byte[] record(byte[] owner, int type, long ttl, byte[] data) {
        return bytes(owner, u16(type), u16(1), u16((int) (ttl >> 16)), u16((int) ttl), u16(data.length), data);
    }

    static byte[] record(String owner, int type, long ttl, byte[] data) {
        return record(name(owner), type, ttl, data);
    }

    static byte[] a(String owner, long ttl, String address) {
        return record(owner, A, ttl, InetAddress.ofLiteral(address).getAddress());
    }

    static byte[] soa(String owner, long ttl, int minimum) {
        return record(
                owner,
                SOA,
                ttl,
                bytes(name("ns." + owner), name("admin." + owner), new byte[16], new byte[2], u16(minimum)));
    }

    /// What an honest resolver sends: the query's id and question, these records.
    static byte[] response(byte[] query, int code, List<byte[]> answers, List<byte[]> authorities) {
        List<byte[]> parts = new ArrayList<>();
        parts.add(header(id(query), 0x8180 | code, 1, answers.size(), authorities.size(), 0));
        parts.add(questionOf(query));
        parts.addAll(answers);
        parts.addAll(authorities);
        return bytes(parts.toArray(byte[][]::new));
    }

    static byte[] response(byte[] query, byte[]... answers) {
        return response(query, 0, List.of(answers), List.of());
    }

    static byte[] withFlags(byte[] message, int flags) {
        byte[] changed = message.clone();
        ByteBuffer.wrap(changed).putShort(2, (short) (ByteBuffer.wrap(changed).getShort(2) | flags));
        return changed;
    }

    static int id(byte[] message) {
        return Short.toUnsignedInt(ByteBuffer.wrap(message).getShort());
    }

    static int code(byte[] message) {
        return message[3] & 0xf;
    }

    static boolean isTruncated(byte[] message) {
        return (message[2] & 2) != 0;
    }

    static int answers(byte[] message) {
        return ByteBuffer.wrap(message).getShort(6);
    }

    static byte[] questionOf(byte[] query) {
        int at = 12;
        while (query[at] != 0) {
            at += query[at] + 1;
        }
        return Arrays.copyOfRange(query, 12, at + 5);
    }

    static String nameOf(byte[] query) {
        StringBuilder name = new StringBuilder();
        int at = 12;
        while (query[at] != 0) {
            name.append(name.isEmpty() ? "" : ".");
            name.append(new String(query, at + 1, query[at], StandardCharsets.US_ASCII));
            at += query[at] + 1;
        }
        return name.toString();
    }

    static int typeOf(byte[] query) {
        byte[] question = questionOf(query);
        return ByteBuffer.wrap(question).getShort(question.length - 4);
    }

    static byte[] u16(int value) {
        return new byte[] {(byte) (value >> 8), (byte) value};
    }

    static byte[] bytes(byte[]... parts) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            out.writeBytes(part);
        }
        return out.toByteArray();
    }
}
