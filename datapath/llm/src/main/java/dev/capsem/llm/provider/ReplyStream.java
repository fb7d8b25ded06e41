package dev.capsem.llm.provider;

import dev.capsem.llm.event.LlmEvent;
import dev.capsem.llm.stream.ArrayParser;
import dev.capsem.llm.stream.FrameParser;
import dev.capsem.llm.stream.PieceSink;
import dev.capsem.llm.stream.SequenceParser;
import dev.capsem.llm.stream.SseParser;
import dev.capsem.llm.stream.WholeReply;
import java.nio.ByteBuffer;
import java.util.function.Consumer;

/// Turns a reply's bytes into events as they come. The first byte tells the form, whatever the headers say: `{` a
/// whole reply, `[` an array of pieces, anything else server-sent events; some formats stream in another way.
public final class ReplyStream {
    /// Bytes that do not lie in an array are copied this many at a time.
    private static final int COPY_BYTES = 16 * 1024;

    private final Consumer<LlmEvent> out;
    private final ReplyFormat format;
    private final SseParser events;
    private final ArrayParser elements;
    private final WholeReply whole;
    private final SequenceParser sequence;
    private final FrameParser frames;
    private Form form = Form.UNKNOWN;
    private byte[] copy = {};

    private enum Form {
        UNKNOWN,
        EVENTS,
        ARRAY,
        WHOLE,
        SEQUENCE,
        FRAMES
    }

    ReplyStream(ReplyFormat format, Consumer<LlmEvent> out) {
        this.format = format;
        this.out = out;
        PieceSink pieces = new Pieces();
        this.events = new SseParser(WireNames.ALL, pieces);
        this.elements = new ArrayParser(pieces);
        this.whole = new WholeReply(pieces);
        this.sequence = new SequenceParser(pieces);
        this.frames = new FrameParser(pieces);
    }

    private final class Pieces implements PieceSink {
        @Override
        public void piece(String type, byte[] buffer, int from, int to) {
            format.read(type, buffer, from, to);
        }

        @Override
        public void oversized(String type) {
            out.accept(new LlmEvent.Unknown(LlmEvent.Unknown.OVERSIZED, type));
        }

        @Override
        public void malformed(String type) {
            out.accept(new LlmEvent.Unknown(LlmEvent.Unknown.MALFORMED, type));
        }
    }

    /// Reads all that is left in the buffer.
    public void feed(ByteBuffer bytes) {
        if (bytes.hasArray()) {
            int from = bytes.arrayOffset() + bytes.position();
            feed(bytes.array(), from, from + bytes.remaining());
            bytes.position(bytes.limit());
            return;
        }
        if (copy.length == 0) {
            copy = new byte[COPY_BYTES];
        }
        while (bytes.hasRemaining()) {
            int count = Math.min(copy.length, bytes.remaining());
            bytes.get(copy, 0, count);
            feed(copy, 0, count);
        }
    }

    private void feed(byte[] buffer, int start, int to) {
        int from = form == Form.UNKNOWN ? sniff(buffer, start, to) : start;
        switch (form) {
            case UNKNOWN -> {}
            case EVENTS -> events.feed(buffer, from, to);
            case ARRAY -> elements.feed(buffer, from, to);
            case WHOLE -> whole.feed(buffer, from, to);
            case SEQUENCE -> sequence.feed(buffer, from, to);
            case FRAMES -> frames.feed(buffer, from, to);
        }
    }

    /// Space and a byte order mark before the content mean nothing in any form.
    private int sniff(byte[] buffer, int start, int to) {
        int from = start;
        while (from < to && isNothing(buffer[from])) {
            from++;
        }
        if (from < to) {
            form = switch (buffer[from]) {
                case '{' -> format.framing() == ReplyFormat.Framing.SEQUENCE ? Form.SEQUENCE : Form.WHOLE;
                case '[' -> Form.ARRAY;
                default -> format.framing() == ReplyFormat.Framing.FRAMES ? Form.FRAMES : Form.EVENTS;
            };
        }
        return from;
    }

    private static boolean isNothing(byte next) {
        return switch (next) {
            case ' ', '\t', '\r', '\n', (byte) 0xEF, (byte) 0xBB, (byte) 0xBF -> true;
            default -> false;
        };
    }

    /// The reply is over. Call it once, last.
    public void finish() {
        switch (form) {
            case UNKNOWN -> {}
            case EVENTS -> events.finish();
            case ARRAY -> elements.finish();
            case WHOLE -> whole.finish();
            case SEQUENCE -> sequence.finish();
            case FRAMES -> frames.finish();
        }
        format.finish();
    }
}
