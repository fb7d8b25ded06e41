package dev.capsem.network.http.websocket;

import io.netty.buffer.ByteBuf;
import java.io.ByteArrayOutputStream;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Makes messages of one direction's bytes (RFC 6455 §5), however they are split and fragmented. Holds no more than
/// it is told to: of a larger message it says so at the frame that would be too much, and then gives it out frame
/// by frame.
public final class WebSocketReader {
    static final int HEAD_BYTES_MAX = 14;

    /// The meaning of the next bytes.
    public sealed interface Read {
        /// Ready to be judged.
        public record Whole(WebSocketMessage message) implements Read {}

        /// The frame that begins here will be held and is that long. Nothing more is read before [#mayHold].
        public record Wants(long bytes) implements Read {}

        /// The message that begins, or goes on, here will not be held. Nothing more is read before [#passRest].
        record TooLarge() implements Read {}

        /// A copy of bytes of a message that is not held, as they came.
        ///
        /// @param position of its first byte in the frame's payload; negative for a frame's head
        public record Piece(ByteBuf bytes, int maskingKey, long position) implements Read {
            /// The payload in clear; nothing of a head.
            public byte[] unmasked() {
                byte[] clear = new byte[position < 0 ? 0 : bytes.readableBytes()];
                for (int i = 0; i < clear.length; i++) {
                    clear[i] = (byte) (bytes.getByte(bytes.readerIndex() + i)
                            ^ WebSocketMessage.maskAt(maskingKey, position + i));
                }
                return clear;
            }
        }

        record NeedMore() implements Read {}

        /// Nothing that follows can be understood.
        record Malformed(String reason) implements Read {}
    }

    private static final Read NEED_MORE = new Read.NeedMore();
    private static final Read TOO_LARGE = new Read.TooLarge();

    private final boolean isMasked;
    private final int heldBytesMax;
    private final ByteArrayOutputStream held = new ByteArrayOutputStream();
    private final ByteArrayOutputStream control = new ByteArrayOutputStream();

    /// Of the data message under way; 0 between messages.
    private int opcode;

    private int maskingKey;
    private boolean passes;
    private boolean mayHold;
    private @Nullable Head frame;
    private long payloadLeft;

    private record Head(boolean isFinal, int reserved, int opcode, boolean isMasked, int key, long length, int bytes) {
        boolean isControl() {
            return opcode >= WebSocketMessage.CLOSE;
        }

        /// None until all of it is there. Reads nothing away.
        static Optional<Head> peek(ByteBuf in) {
            int at = in.readerIndex();
            if (in.readableBytes() < 2) {
                return Optional.empty();
            }
            int first = in.getByte(at) & 0xff;
            int second = in.getByte(at + 1) & 0xff;
            boolean isMasked = (second & 0x80) != 0;
            int shortLength = second & 0x7f;
            int extended = shortLength == 126 ? 2 : shortLength == 127 ? 8 : 0;
            int bytes = 2 + extended + (isMasked ? 4 : 0);
            if (in.readableBytes() < bytes) {
                return Optional.empty();
            }
            long length = switch (extended) {
                case 2 -> in.getUnsignedShort(at + 2);
                case 8 -> in.getLong(at + 2);
                default -> shortLength;
            };
            int key = isMasked ? in.getInt(at + 2 + extended) : 0;
            return Optional.of(new Head((first & 0x80) != 0, first & 0x70, first & 0x0f, isMasked, key, length, bytes));
        }
    }

    /// @param isMasked whether this is the client's direction
    /// @param heldBytesMax of one message; -1 holds none
    public WebSocketReader(boolean isMasked, int heldBytesMax) {
        this.isMasked = isMasked;
        this.heldBytesMax = heldBytesMax;
    }

    /// Whether a frame was given out in part, so that no other may stand in between.
    public boolean isMidPiece() {
        return passes && frame != null && !frame.isControl();
    }

    /// @param in read as far as the answer goes; with [Read.NeedMore] keep what is left for the next time
    public Read read(ByteBuf in) {
        while (true) {
            Optional<Read> read = frame == null ? head(in) : payload(frame, in);
            if (read.isPresent()) {
                return read.get();
            }
        }
    }

    /// After [Read.Wants]: there is room for it.
    public void mayHold() {
        mayHold = true;
    }

    /// After [Read.TooLarge]: the message may go on unread.
    ///
    /// @return what was held of it
    public Optional<ByteBuf> passRest() {
        passes = true;
        if (opcode == 0) {
            return Optional.empty();
        }
        ByteBuf began = WebSocketMessage.frame(false, opcode, held.toByteArray(), isMasked, maskingKey);
        held.reset();
        return Optional.of(began);
    }

    /// @return none if there is more to do
    private Optional<Read> head(ByteBuf in) {
        Optional<Head> next = Head.peek(in);
        if (next.isEmpty()) {
            return Optional.of(NEED_MORE);
        }
        Head head = next.get();
        Optional<String> wrong = wrong(head);
        if (wrong.isPresent()) {
            return Optional.of(new Read.Malformed(wrong.get()));
        }
        if (!head.isControl() && !passes && head.length() > heldBytesMax - held.size()) {
            return Optional.of(TOO_LARGE);
        }
        if (!head.isControl() && !passes && head.length() > 0 && !mayHold) {
            return Optional.of(new Read.Wants(head.length()));
        }
        mayHold = false;
        frame = head;
        payloadLeft = head.length();
        if (!head.isControl() && head.opcode() != 0) {
            opcode = head.opcode();
            maskingKey = head.key();
        }
        if (!isMidPiece()) {
            in.skipBytes(head.bytes());
            return payloadLeft == 0 ? ended(head) : Optional.empty();
        }
        Read piece = new Read.Piece(in.readBytes(head.bytes()), 0, -1);
        if (payloadLeft == 0) {
            ended(head);
        }
        return Optional.of(piece);
    }

    private Optional<Read> payload(Head head, ByteBuf in) {
        if (!in.isReadable()) {
            return Optional.of(NEED_MORE);
        }
        int taken = (int) Math.min(payloadLeft, in.readableBytes());
        Optional<Read> piece = Optional.empty();
        if (isMidPiece()) {
            piece = Optional.of(new Read.Piece(in.readBytes(taken), head.key(), head.length() - payloadLeft));
        } else {
            keep(head, in, taken);
        }
        payloadLeft -= taken;
        Optional<Read> whole = payloadLeft == 0 ? ended(head) : Optional.empty();
        return piece.or(() -> whole);
    }

    private void keep(Head head, ByteBuf in, int count) {
        ByteArrayOutputStream to = head.isControl() ? control : held;
        long position = head.length() - payloadLeft;
        for (int i = 0; i < count; i++) {
            to.write(in.readByte() ^ WebSocketMessage.maskAt(head.key(), position + i));
        }
    }

    private Optional<Read> ended(Head head) {
        frame = null;
        if (head.isControl()) {
            byte[] payload = control.toByteArray();
            control.reset();
            return Optional.of(new Read.Whole(new WebSocketMessage(head.opcode(), payload, head.key())));
        }
        if (!head.isFinal()) {
            return Optional.empty();
        }
        int ended = opcode;
        boolean wasHeld = !passes;
        opcode = 0;
        passes = false;
        byte[] payload = held.toByteArray();
        held.reset();
        return wasHeld
                ? Optional.of(new Read.Whole(new WebSocketMessage(ended, payload, maskingKey)))
                : Optional.empty();
    }

    /// Frames that two readers could understand differently would carry data past rules.
    private Optional<String> wrong(Head head) {
        boolean isKnown = head.opcode() <= WebSocketMessage.BINARY
                || (head.isControl() && head.opcode() <= WebSocketMessage.PONG);
        if (!isKnown || head.reserved() != 0) {
            return Optional.of("a frame of an extension that was not agreed on");
        }
        if (head.isMasked() != isMasked) {
            return Optional.of(isMasked ? "a client's frame without a mask" : "a server's frame with a mask");
        }
        if (head.length() < 0) {
            return Optional.of("a frame with a negative length");
        }
        if (head.isControl()) {
            boolean fits = head.isFinal() && head.length() <= WebSocketMessage.CONTROL_BYTES_MAX;
            return fits ? Optional.empty() : Optional.of("a control frame that is too long or fragmented");
        }
        boolean goesOn = head.opcode() == 0;
        return goesOn == (opcode != 0) ? Optional.empty() : Optional.of("unexpected continuation frame");
    }
}
