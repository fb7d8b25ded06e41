package dev.capsem.network.dns;

import dev.capsem.exchange.dns.RecordType;
import dev.capsem.exchange.dns.ResponseCode;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// What the guest is told: a response code, records, and in words why not (RFC 8914), for clients that speak EDNS.
record Reply(int responseCode, List<ResourceRecord> answers, Optional<Reason> reason) {
    /// Bytes of text after which the reason is cut: a datagram must hold it.
    private static final int REASON_BYTES_MAX = 200;
    /// Our advertised packet size: one packet on any path.
    private static final int OWN_PAYLOAD_BYTES = 1_232;

    private static final int EXTENDED_ERROR_OPTION = 15;
    private static final int POINTER = 0xc000;
    private static final int POINTER_OFFSET_MAX = 0x3fff;
    private static final int TRUNCATED = 0x0200;

    /// @param code of the registry of extended DNS errors
    record Reason(int code, String text) {
        static final int OTHER = 0;
        static final int NETWORK_ERROR = 23;
        static final int BLOCKED = 15;
        static final int FILTERED = 17;
        static final int NOT_SUPPORTED = 21;
    }

    Reply {
        answers = List.copyOf(answers);
    }

    static Reply code(int responseCode) {
        return new Reply(responseCode, List.of(), Optional.empty());
    }

    static Reply code(int responseCode, int extendedCode, String text) {
        return new Reply(responseCode, List.of(), Optional.of(new Reason(extendedCode, text)));
    }

    static Reply answer(List<ResourceRecord> records) {
        return new Reply(ResponseCode.NO_ERROR, records, Optional.empty());
    }

    /// To a message of which nothing but the header could be read.
    static byte[] toUnreadable(GuestQuery.Unreadable query) {
        WireWriter out = new WireWriter(GuestQuery.HEADER_BYTES);
        header(out, query.id(), query.flags(), 0, ResponseCode.FORMAT_ERROR, 0, 0, 0);
        return out.toBytes();
    }

    /// The message, cut to nothing but "ask again over TCP" if it is longer than `bytesMax`.
    byte[] encode(GuestQuery.Understood query, int bytesMax) {
        byte[] whole = encode(query, answers, 0);
        return whole.length <= bytesMax ? whole : encode(query, List.of(), TRUNCATED);
    }

    private byte[] encode(GuestQuery.Understood query, List<ResourceRecord> answers, int truncated) {
        WireWriter out = new WireWriter(512);
        boolean withEdns = query.edns().isPresent();
        header(
                out,
                query.id(),
                query.flags(),
                truncated,
                responseCode & 0xf,
                query.questions().size(),
                answers.size(),
                withEdns ? 1 : 0);
        Map<DnsName, Integer> places = new HashMap<>();
        places.put(query.question().name(), out.size());
        out.bytes(query.questionBytes());
        answers.forEach(record -> write(out, record, places));
        if (withEdns) {
            writeEdns(out);
        }
        return out.toBytes();
    }

    /// Keeps the operation code and "recursion desired" of the query; says that recursion is available.
    private static void header(
            WireWriter out,
            int id,
            int queryFlags,
            int truncated,
            int code,
            int questions,
            int answers,
            int additionals) {
        out.u16(id);
        out.u16(0x8000 | (queryFlags & 0x7900) | truncated | 0x0080 | code);
        out.u16(questions);
        out.u16(answers);
        out.u16(0);
        out.u16(additionals);
    }

    private static void write(WireWriter out, ResourceRecord record, Map<DnsName, Integer> places) {
        name(out, record.owner(), places);
        out.u16(record.type());
        out.u16(RecordType.CLASS_IN);
        out.u32(record.ttlSeconds());
        byte[] data = record.data();
        out.u16(data.length);
        record.alias()
                .filter(_ -> out.size() <= POINTER_OFFSET_MAX)
                .ifPresent(target -> places.putIfAbsent(target, out.size()));
        out.bytes(data);
    }

    private static void name(WireWriter out, DnsName name, Map<DnsName, Integer> places) {
        Integer place = places.get(name);
        if (place != null) {
            out.u16(POINTER | place);
            return;
        }
        if (out.size() <= POINTER_OFFSET_MAX) {
            places.put(name, out.size());
        }
        name.write(out);
    }

    private void writeEdns(WireWriter out) {
        byte[] option = reason.map(Reply::option).orElse(new byte[0]);
        out.u8(0);
        out.u16(RecordType.OPT);
        out.u16(OWN_PAYLOAD_BYTES);
        out.u32((long) (responseCode >> 4) << 24);
        out.u16(option.length);
        out.bytes(option);
    }

    private static byte[] option(Reason reason) {
        byte[] text = reason.text().getBytes(StandardCharsets.UTF_8);
        byte[] shown = text.length <= REASON_BYTES_MAX ? text : Arrays.copyOf(text, wholeCharacters(text));
        WireWriter out = new WireWriter(6 + shown.length);
        out.u16(EXTENDED_ERROR_OPTION);
        out.u16(2 + shown.length);
        out.u16(reason.code());
        out.bytes(shown);
        return out.toBytes();
    }

    private static int wholeCharacters(byte[] text) {
        int end = REASON_BYTES_MAX;
        while ((text[end] & 0xc0) == 0x80) {
            end--;
        }
        return end;
    }
}
