package dev.capsem.network.dns;

import dev.capsem.exchange.dns.RecordType;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// The guest's packet.
sealed interface GuestQuery {
    int HEADER_BYTES = 12;
    /// Real queries have one; more than a few are an attempt to make us work.
    int QUESTIONS_MAX = 8;
    /// Real queries have one OPT record behind the question, at most a few others.
    int OTHER_RECORDS_MAX = 8;

    /// @param flags the second half of the header's first word, as it came
    /// @param questionBytes the questions as they came, to be echoed letter by letter
    record Understood(int id, int flags, List<Question> questions, byte[] questionBytes, Optional<Edns> edns)
            implements GuestQuery {
        int operation() {
            return flags >> 11 & 0xf;
        }

        Question question() {
            return questions.getFirst();
        }
    }

    /// A header with nothing sensible behind it.
    record Unreadable(int id, int flags, String reason) implements GuestQuery {}

    /// Not even a header, or not a query: there is nobody to answer.
    record Nothing(String reason) implements GuestQuery {}

    /// RFC 6891.
    record Edns(int payloadBytesMax, int version) {}

    static GuestQuery parse(byte[] message) {
        if (message.length < HEADER_BYTES) {
            return new Nothing("shorter than a header");
        }
        WireReader in = new WireReader(message);
        int id = in.u16();
        int flags = in.u16();
        boolean isResponse = (flags & 0x8000) != 0;
        if (isResponse) {
            return new Nothing("a response, not a query");
        }
        try {
            return parse(in, id, flags);
        } catch (MalformedMessageException e) {
            return new Unreadable(id, flags, e.reason());
        }
    }

    private static GuestQuery parse(WireReader in, int id, int flags) {
        int count = in.u16();
        int others = in.u16() + in.u16() + in.u16();
        if (count == 0 || count > QUESTIONS_MAX) {
            return new Unreadable(id, flags, count + " questions");
        }
        if (others > OTHER_RECORDS_MAX) {
            return new Unreadable(id, flags, "too many records in a query");
        }
        List<Question> questions = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            questions.add(Question.read(in));
        }
        int questionsEnd = in.position();
        Optional<Edns> edns = Optional.empty();
        for (int i = 0; i < others; i++) {
            DnsName owner = DnsName.read(in);
            int type = in.u16();
            int recordClass = in.u16();
            long extended = in.u32();
            in.skip(in.u16());
            if (type == RecordType.OPT) {
                if (edns.isPresent() || !owner.text().equals(".")) {
                    return new Unreadable(id, flags, "more than one OPT record, or one with a name");
                }
                edns = Optional.of(new Edns(recordClass, (int) (extended >> 16 & 0xff)));
            }
        }
        return new Understood(id, flags, List.copyOf(questions), in.between(HEADER_BYTES, questionsEnd), edns);
    }
}
