package dev.capsem.network.start;

import dev.capsem.wire.Decoded;
import dev.capsem.wire.guest.Preamble;
import java.nio.ByteBuffer;

/// What a connection to port 5002 turns out to be.
public record ConnectionStart(Preamble preamble, Protocol protocol) {
    /// As many bytes as it ever takes to tell: two lines of metadata and the head of a frame.
    public static final int BYTES_MAX = 2 * Preamble.LINE_BYTES_MAX + 16;

    /// The smallest and the largest MCP frame.
    private static final long FRAME_BYTES_MIN = 16;

    private static final long FRAME_BYTES_MAX = 1_052_672;
    private static final int FRAME_HEAD_BYTES = 6;
    private static final int TLS_HANDSHAKE = 0x16;

    public sealed interface Protocol {}

    public record Tls() implements Protocol {}

    public record Http() implements Protocol {}

    /// Frames of the MCP endpoint.
    public record Mcp() implements Protocol {}

    /// @param reason for people and the record
    public record Unknown(String reason) implements Protocol {}

    /// Consumes the metadata only: the protocol's own bytes are its reader's.
    ///
    /// @param ended whether no more bytes will come
    public static Decoded<ConnectionStart> decode(ByteBuffer in, boolean ended) {
        return switch (Preamble.decode(in, ended)) {
            case Decoded.NeedMore<Preamble>() -> new Decoded.NeedMore<>();
            case Decoded.Malformed<Preamble>(String reason) -> new Decoded.Malformed<>(reason);
            case Decoded.Message<Preamble>(Preamble preamble, int consumed) ->
                switch (protocol(in.slice(in.position() + consumed, in.remaining() - consumed), ended)) {
                    case Decoded.NeedMore<Protocol>() -> new Decoded.NeedMore<>();
                    case Decoded.Malformed<Protocol>(String reason) -> new Decoded.Malformed<>(reason);
                    case Decoded.Message<Protocol>(Protocol protocol, int _) ->
                        new Decoded.Message<>(new ConnectionStart(preamble, protocol), consumed);
                };
        };
    }

    private static Decoded<Protocol> protocol(ByteBuffer bytes, boolean ended) {
        if (!bytes.hasRemaining()) {
            return ended ? unknown("the connection ended before anything was said") : new Decoded.NeedMore<>();
        }
        int first = bytes.get(0) & 0xff;
        if (first == TLS_HANDSHAKE) {
            return new Decoded.Message<>(new Tls(), 0);
        }
        if (first >= 'A' && first <= 'Z') {
            return new Decoded.Message<>(new Http(), 0);
        }
        if (first == 0 && bytes.remaining() < FRAME_HEAD_BYTES && !ended) {
            return new Decoded.NeedMore<>();
        }
        if (bytes.remaining() >= FRAME_HEAD_BYTES) {
            long length = bytes.getInt(0) & 0xffff_ffffL;
            boolean isFrame = length >= FRAME_BYTES_MIN
                    && length <= FRAME_BYTES_MAX
                    && bytes.get(4) == 'M'
                    && bytes.get(5) == 'C';
            if (isFrame) {
                return new Decoded.Message<>(new Mcp(), 0);
            }
        }
        return unknown("unknown protocol byte 0x%02x".formatted(first));
    }

    private static Decoded<Protocol> unknown(String reason) {
        return new Decoded.Message<>(new Unknown(reason), 0);
    }
}
