package dev.capsem.network.start;

import dev.capsem.wire.Decoded;
import dev.capsem.wire.guest.Preamble;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// What a connection to port 5002 turns out to be.
public record ConnectionStart(Preamble preamble, Protocol protocol) {
    /// As many bytes as it ever takes to tell: three lines of metadata and a first line.
    public static final int BYTES_MAX = Preamble.LINES_MAX * Preamble.LINE_BYTES_MAX + FirstLine.BYTES_MAX;

    /// The smallest and the largest MCP frame.
    private static final long FRAME_BYTES_MIN = 16;

    private static final long FRAME_BYTES_MAX = 1_052_672;
    private static final int FRAME_HEAD_BYTES = 6;
    private static final int TLS_HANDSHAKE = 0x16;

    private static final String REFUSED = "\0CAPSEM_REFUSED:";
    private static final Pattern REFUSED_LINE =
            Pattern.compile("([a-z0-9-]{1,16}) (?:\\[([0-9A-Fa-f:.]{2,45})]|([0-9.]{7,15})):(\\d{1,5}) (\\d{1,19})");

    public sealed interface Protocol {}

    public record Tls() implements Protocol {}

    public record Http() implements Protocol {}

    /// HTTP/2 in clear text, by a client that knows the server speaks it (RFC 9113 §3.3).
    public record Http2() implements Protocol {}

    /// Frames of the MCP endpoint.
    public record Mcp() implements Protocol {}

    /// Not a connection but a report: packets that the sandbox's own network rules refused.
    ///
    /// @param transport `udp`, `tcp`, `icmp`, `icmpv6`, another by its number, or `any`
    /// @param port 0 where the transport has none
    public record Undelivered(String transport, InetAddress to, int port, long packets) implements Protocol {}

    /// @param reason for people and the record
    /// @param goodbye what the guest is told before its connection ends, a byte per character; may be empty
    public record Unknown(String reason, String goodbye) implements Protocol {
        public Unknown(String reason) {
            this(reason, "");
        }
    }

    /// Consumes the metadata only: the protocol's own bytes are its reader's.
    ///
    /// @param ended whether no more bytes will come
    public static Decoded<ConnectionStart> decode(ByteBuffer in, boolean ended) {
        return switch (Preamble.decode(in, ended)) {
            case Decoded.NeedMore<Preamble>() -> new Decoded.NeedMore<>();
            case Decoded.Malformed<Preamble>(String reason) -> new Decoded.Malformed<>(reason);
            case Decoded.Message<Preamble>(Preamble preamble, int consumed) ->
                switch (protocol(
                        in.slice(in.position() + consumed, in.remaining() - consumed),
                        preamble.destination().isEmpty(),
                        ended)) {
                    case Decoded.NeedMore<Protocol>() -> new Decoded.NeedMore<>();
                    case Decoded.Malformed<Protocol>(String reason) -> new Decoded.Malformed<>(reason);
                    case Decoded.Message<Protocol>(Protocol protocol, int _) ->
                        new Decoded.Message<>(new ConnectionStart(preamble, protocol), consumed);
                };
        };
    }

    /// A protocol that Capsem does not carry: on a connection of its own, or inside a CONNECT.
    ///
    /// @param ended whether no more bytes will come
    public static Decoded<Protocol> speech(ByteBuffer bytes, boolean ended) {
        if (!bytes.hasRemaining()) {
            return ended
                    ? new Decoded.Message<>(new Unknown("the connection ended before anything was said"), 0)
                    : new Decoded.NeedMore<>();
        }
        int first = bytes.get(0) & 0xff;
        if (first == TLS_HANDSHAKE) {
            return new Decoded.Message<>(new Tls(), 0);
        }
        if (first >= 'A' && first <= 'Z') {
            return FirstLine.decode(bytes.slice(), ended);
        }
        return first == '*' ? new Decoded.Message<>(Goodbye.toRedis(), 0) : unknown(first);
    }

    /// @param mayReport whether the agent speaks: behind a destination the guest's own bytes follow
    private static Decoded<Protocol> protocol(ByteBuffer bytes, boolean mayReport, boolean ended) {
        int first = bytes.hasRemaining() ? bytes.get(0) & 0xff : -1;
        if (first != 0) {
            return speech(bytes, ended);
        }
        if (bytes.remaining() < FRAME_HEAD_BYTES && !ended) {
            return new Decoded.NeedMore<>();
        }
        if (mayReport && startsLikeReport(bytes)) {
            return report(bytes, ended);
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
        return unknown(first);
    }

    /// Requires: at least the bytes of a frame's head, so that a frame is not taken for a report.
    private static boolean startsLikeReport(ByteBuffer bytes) {
        int compared = Math.min(REFUSED.length(), bytes.remaining());
        for (int i = 0; i < compared; i++) {
            if (bytes.get(i) != REFUSED.charAt(i)) {
                return false;
            }
        }
        return true;
    }

    private static Decoded<Protocol> report(ByteBuffer bytes, boolean ended) {
        byte[] seen = new byte[Math.min(bytes.remaining(), Preamble.LINE_BYTES_MAX)];
        bytes.get(0, seen);
        String text = new String(seen, StandardCharsets.ISO_8859_1);
        int end = text.indexOf('\n');
        if (end < 0) {
            boolean isOver = ended || seen.length == Preamble.LINE_BYTES_MAX;
            return isOver ? new Decoded.Malformed<>("a report has no end") : new Decoded.NeedMore<>();
        }
        Matcher line = REFUSED_LINE.matcher(text.substring(Math.min(REFUSED.length(), end), end));
        return line.matches() ? report(line) : new Decoded.Malformed<>("a report is not what it should be");
    }

    private static Decoded<Protocol> report(Matcher line) {
        try {
            String literal = line.group(2) != null ? line.group(2) : line.group(3);
            int port = Integer.parseInt(line.group(4));
            if (port > 65_535) {
                return new Decoded.Malformed<>("a report names no port");
            }
            return new Decoded.Message<>(
                    new Undelivered(line.group(1), InetAddress.ofLiteral(literal), port, Long.parseLong(line.group(5))),
                    0);
        } catch (IllegalArgumentException notAnAddress) {
            return new Decoded.Malformed<>("a report names no address");
        }
    }

    private static Decoded<Protocol> unknown(int first) {
        return new Decoded.Message<>(new Unknown("unknown protocol byte 0x%02x".formatted(first)), 0);
    }
}
