package dev.capsem.network.dns;

import dev.capsem.exchange.dns.RecordType;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.random.RandomGenerator;

/// A response of one of the host's resolvers, taken apart. Its additional section is not read.
record UpstreamMessage(
        int id,
        int flags,
        Question question,
        byte[] questionBytes,
        List<ResourceRecord> answers,
        List<ResourceRecord> authorities) {
    /// A message of 65 535 bytes could hold five times as many; no honest answer does.
    private static final int RECORDS_MAX = 1_024;

    private static final int RECURSION_DESIRED = 0x0100;
    private static final int PAYLOAD_BYTES = 1_232;

    /// Empty if it is no response with exactly one question, or cannot be read.
    static Optional<UpstreamMessage> parse(byte[] message) {
        try {
            return parse(new WireReader(message));
        } catch (MalformedMessageException e) {
            return Optional.empty();
        }
    }

    private static Optional<UpstreamMessage> parse(WireReader in) {
        int id = in.u16();
        int flags = in.u16();
        int questions = in.u16();
        int answers = in.u16();
        int authorities = in.u16();
        in.skip(2);
        boolean isResponse = (flags & 0x8000) != 0;
        boolean isQuery = (flags >> 11 & 0xf) == 0;
        if (!isResponse || !isQuery || questions != 1 || answers + authorities > RECORDS_MAX) {
            return Optional.empty();
        }
        int start = in.position();
        Question question = Question.read(in);
        byte[] questionBytes = in.between(start, in.position());
        boolean isTruncated = (flags & 0x0200) != 0;
        // What a truncated message holds is not used: it is asked for again.
        List<ResourceRecord> none = List.of();
        return Optional.of(
                isTruncated
                        ? new UpstreamMessage(id, flags, question, questionBytes, none, none)
                        : new UpstreamMessage(
                                id, flags, question, questionBytes, records(in, answers), records(in, authorities)));
    }

    private static List<ResourceRecord> records(WireReader in, int count) {
        List<ResourceRecord> records = new ArrayList<>(Math.min(count, 32));
        for (int i = 0; i < count; i++) {
            ResourceRecord.read(in).ifPresent(records::add);
        }
        return List.copyOf(records);
    }

    boolean isTruncated() {
        return (flags & 0x0200) != 0;
    }

    int responseCode() {
        return flags & 0xf;
    }

    /// A query with the letters of its name in random case: whoever guesses an answer must guess these bits as well.
    static byte[] query(int id, DnsName name, int type, boolean withEdns, RandomGenerator random) {
        WireWriter out = new WireWriter(GuestQuery.HEADER_BYTES + name.wireLength() + 15);
        out.u16(id);
        out.u16(RECURSION_DESIRED);
        out.u16(1);
        out.u32(0);
        out.u16(withEdns ? 1 : 0);
        out.bytes(randomCase(name.wire(), random));
        out.u16(type);
        out.u16(RecordType.CLASS_IN);
        if (withEdns) {
            out.u8(0);
            out.u16(RecordType.OPT);
            out.u16(PAYLOAD_BYTES);
            out.u32(0);
            out.u16(0);
        }
        return out.toBytes();
    }

    private static byte[] randomCase(byte[] name, RandomGenerator random) {
        for (int i = 0; i < name.length; i++) {
            boolean isLetter = name[i] >= 'a' && name[i] <= 'z';
            if (isLetter && random.nextBoolean()) {
                name[i] = (byte) (name[i] - ('a' - 'A'));
            }
        }
        return name;
    }
}
