package dev.capsem.llm.stream;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32;

/// The format `application/vnd.amazon.eventstream`: binary messages of a prelude (total length, length of the headers,
/// checksum of both), headers, payload, and a checksum of all that. After a wrong checksum or length nothing can be
/// trusted any more, so the rest of the stream is passed over.
public final class FrameParser {
    /// One message. A longer one is lost, the next ones are not.
    public static final int FRAME_BYTES_MAX = SseParser.EVENT_BYTES_MAX;

    /// What the protocol allows. A longer one is no message of it.
    private static final int PROTOCOL_BYTES_MAX = 24 * 1024 * 1024;

    private static final int PRELUDE_BYTES = 12;
    private static final int CHECKSUM_BYTES = 4;
    private static final int HEADERS_BYTES_MAX = 128 * 1024;
    private static final int TYPE_CHARACTERS_MAX = 128;

    /// What a header's value is, by its type: its bytes without a length before it; -1 for those with one.
    private static final int[] VALUE_BYTES = {0, 0, 1, 2, 4, 8, -1, -1, 8, 16};

    private static final int STRING = 7;

    private final PieceSink sink;
    private final ByteRun frame = new ByteRun(FRAME_BYTES_MAX);

    /// Of the message at hand; 0 while its prelude is not complete.
    private int total;

    /// The rest of a message that is over the limit.
    private int skipped;

    private boolean isBroken;

    public FrameParser(PieceSink sink) {
        this.sink = sink;
    }

    public void feed(byte[] buffer, int from, int to) {
        int at = from;
        while (at < to && !isBroken) {
            if (skipped > 0) {
                int step = Math.min(skipped, to - at);
                skipped -= step;
                at += step;
                continue;
            }
            int wanted = (total == 0 ? PRELUDE_BYTES : total) - frame.length();
            int step = Math.min(wanted, to - at);
            frame.add(buffer, at, at + step);
            at += step;
            if (step == wanted) {
                if (total == 0) {
                    prelude();
                } else {
                    message();
                }
            }
        }
    }

    /// The stream is over: a message it left open is lost.
    public void finish() {
        if (!isBroken && (frame.length() > 0 || skipped > 0)) {
            sink.malformed("");
        }
    }

    private void prelude() {
        ByteBuffer in = ByteBuffer.wrap(frame.bytes(), 0, PRELUDE_BYTES);
        int length = in.getInt();
        int headers = in.getInt();
        boolean isSound = in.getInt() == checksum(PRELUDE_BYTES - CHECKSUM_BYTES)
                && length >= PRELUDE_BYTES + CHECKSUM_BYTES
                && length <= PROTOCOL_BYTES_MAX
                && headers >= 0
                && headers <= Math.min(HEADERS_BYTES_MAX, length - PRELUDE_BYTES - CHECKSUM_BYTES);
        if (!isSound) {
            broke();
        } else if (length > FRAME_BYTES_MAX) {
            sink.oversized("");
            skipped = length - PRELUDE_BYTES;
            frame.clear();
        } else {
            total = length;
        }
    }

    private void message() {
        byte[] bytes = frame.bytes();
        int end = total - CHECKSUM_BYTES;
        int payload = PRELUDE_BYTES + ByteBuffer.wrap(bytes).getInt(4);
        if (ByteBuffer.wrap(bytes).getInt(end) != checksum(end)) {
            broke();
            return;
        }
        sink.piece(type(bytes, payload), bytes, payload, end);
        total = 0;
        frame.clear();
    }

    private void broke() {
        isBroken = true;
        frame.clear();
        sink.malformed("");
    }

    private int checksum(int length) {
        CRC32 crc = new CRC32();
        crc.update(frame.bytes(), 0, length);
        return (int) crc.getValue();
    }

    /// The name of the event, or of the exception that stands in its place. Headers that are none end the search.
    private static String type(byte[] bytes, int headersEnd) {
        String type = "";
        int at = PRELUDE_BYTES;
        while (at < headersEnd) {
            int nameEnd = at + 1 + (bytes[at] & 0xFF);
            if (nameEnd >= headersEnd) {
                break;
            }
            String name = new String(bytes, at + 1, nameEnd - at - 1, StandardCharsets.UTF_8);
            int kind = bytes[nameEnd];
            int value = nameEnd + 1;
            if (kind < 0 || kind >= VALUE_BYTES.length) {
                break;
            }
            int length = VALUE_BYTES[kind];
            if (length < 0) {
                if (value + 2 > headersEnd) {
                    break;
                }
                length = (bytes[value] & 0xFF) << 8 | (bytes[value + 1] & 0xFF);
                value += 2;
            }
            if (value + length > headersEnd) {
                break;
            }
            if (kind == STRING && (name.equals(":event-type") || name.equals(":exception-type"))) {
                type = new String(bytes, value, Math.min(length, TYPE_CHARACTERS_MAX), StandardCharsets.UTF_8);
            }
            at = value + length;
        }
        return type;
    }
}
