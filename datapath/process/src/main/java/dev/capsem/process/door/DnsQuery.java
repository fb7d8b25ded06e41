package dev.capsem.process.door;

import dev.capsem.process.record.Recorder;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/// A DNS query as far as it takes to refuse it: its header and its questions.
sealed interface DnsQuery {
    int HEADER_BYTES = 12;
    /// Real queries have one; more than a few are an attempt to make us work.
    int QUESTIONS_MAX = 8;

    int NAME_BYTES_MAX = 255;
    int LABEL_BYTES_MAX = 63;
    int RESPONSE_CODE_FORMAT_ERROR = 1;
    int RESPONSE_CODE_REFUSED = 5;

    /// @param questionBytes the questions as they came, to be echoed
    record Understood(int id, int flags, List<Recorder.Question> questions, byte[] questionBytes) implements DnsQuery {}

    /// A header with nothing sensible behind it.
    record Unreadable(int id, int flags) implements DnsQuery {}

    /// Not even a header, or not a query: there is nobody to answer.
    record Nothing() implements DnsQuery {}

    static DnsQuery parse(byte[] message) {
        ByteBuffer in = ByteBuffer.wrap(message);
        if (message.length < HEADER_BYTES) {
            return new Nothing();
        }
        int id = Short.toUnsignedInt(in.getShort());
        int flags = Short.toUnsignedInt(in.getShort());
        int count = Short.toUnsignedInt(in.getShort());
        boolean isResponse = (flags & 0x8000) != 0;
        if (isResponse) {
            return new Nothing();
        }
        if (count == 0 || count > QUESTIONS_MAX) {
            return new Unreadable(id, flags);
        }
        in.position(HEADER_BYTES);
        List<Recorder.Question> questions = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            StringBuilder name = new StringBuilder();
            if (!readName(in, name) || in.remaining() < 4) {
                return new Unreadable(id, flags);
            }
            questions.add(new Recorder.Question(
                    name.isEmpty() ? "." : name.toString(),
                    Short.toUnsignedInt(in.getShort()),
                    Short.toUnsignedInt(in.getShort())));
        }
        byte[] bytes = new byte[in.position() - HEADER_BYTES];
        in.get(HEADER_BYTES, bytes);
        return new Understood(id, flags, List.copyOf(questions), bytes);
    }

    /// The answer to this query that says no; empty when there is none to give.
    default byte[] refusal() {
        return switch (this) {
            case Understood query ->
                response(query.id, query.flags, RESPONSE_CODE_REFUSED, query.questions.size(), query.questionBytes);
            case Unreadable query -> response(query.id, query.flags, RESPONSE_CODE_FORMAT_ERROR, 0, new byte[0]);
            case Nothing nothing -> new byte[0];
        };
    }

    /// Keeps the operation code and "recursion desired" of the query; says that recursion is available.
    private static byte[] response(int id, int queryFlags, int code, int questions, byte[] questionBytes) {
        int flags = 0x8000 | (queryFlags & 0x7900) | 0x0080 | code;
        return ByteBuffer.allocate(HEADER_BYTES + questionBytes.length)
                .putShort((short) id)
                .putShort((short) flags)
                .putShort((short) questions)
                .putShort((short) 0)
                .putShort((short) 0)
                .putShort((short) 0)
                .put(questionBytes)
                .array();
    }

    /// Labels only: a query has nothing before its question that a pointer could mean.
    private static boolean readName(ByteBuffer in, StringBuilder name) {
        int start = in.position();
        while (in.hasRemaining()) {
            int length = Byte.toUnsignedInt(in.get());
            if (length == 0) {
                return in.position() - start <= NAME_BYTES_MAX;
            }
            if (length > LABEL_BYTES_MAX || in.remaining() < length || in.position() - start > NAME_BYTES_MAX) {
                return false;
            }
            if (!name.isEmpty()) {
                name.append('.');
            }
            for (int i = 0; i < length; i++) {
                appendReadable(name, Byte.toUnsignedInt(in.get()));
            }
        }
        return false;
    }

    /// As zone files write it, so that a name can be shown and no dot is mistaken for a separator.
    private static void appendReadable(StringBuilder name, int octet) {
        boolean plain = octet > 0x20 && octet < 0x7f && octet != '.' && octet != '\\';
        if (plain) {
            name.append((char) octet);
        } else {
            name.append('\\').append((char) ('0' + octet / 100)).append((char) ('0' + octet / 10 % 10));
            name.append((char) ('0' + octet % 10));
        }
    }
}
