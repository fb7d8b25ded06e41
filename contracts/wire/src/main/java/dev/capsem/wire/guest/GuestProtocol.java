package dev.capsem.wire.guest;

import dev.capsem.wire.Decoded;
import java.nio.ByteBuffer;

/// Frames of ports 5000, 5001 and 5005, both directions. Pure: bytes in, messages out.
public final class GuestProtocol {
    public static final int VERSION = 1;
    /// Bytes that follow the length field: type, id and body.
    public static final int FRAME_LENGTH_MIN = 5;

    public static final int FRAME_LENGTH_MAX = 2_097_152;
    /// The most bytes a receiver ever has to hold to decode one message.
    public static final int FRAME_BYTES_MAX = Integer.BYTES + FRAME_LENGTH_MAX;
    /// Payload of one Output frame; also what the host puts into one Input frame.
    public static final int DATA_BYTES_MAX = 65_536;
    /// Credit with which each direction of each exec starts.
    public static final int CREDIT_BYTES_INITIAL = 262_144;

    public static final int EXECS_MAX = 1_024;

    private GuestProtocol() {}

    /// Requires: strings without NUL, numbers within their fields, a frame within [#FRAME_LENGTH_MAX];
    /// otherwise IllegalArgumentException.
    public static ByteBuffer encode(HostMessage message) {
        return switch (message) {
            case HostMessage.Boot m ->
                new FrameWriter(0x01, 0)
                        .u64(m.unixTimeNanos())
                        .text(m.hostname())
                        .environment(m.environment())
                        .frame();
            case HostMessage.Exec m ->
                new FrameWriter(0x02, m.id().value())
                        .u8(m.flags())
                        .u16(m.rows())
                        .u16(m.columns())
                        .text(m.cwd())
                        .texts(m.argv())
                        .environment(m.environment())
                        .frame();
            case HostMessage.Signal m ->
                new FrameWriter(0x03, m.id().value()).u8(m.number()).frame();
            case HostMessage.Resize m ->
                new FrameWriter(0x04, m.id().value())
                        .u16(m.rows())
                        .u16(m.columns())
                        .frame();
            case HostMessage.Shutdown m ->
                new FrameWriter(0x05, 0).u32(m.graceMillis()).frame();
            case HostMessage.Ping m ->
                new FrameWriter(0x06, m.nonce()).u64(m.unixTimeNanos()).frame();
            case HostMessage.Input m ->
                new FrameWriter(0x10, m.id().value()).raw(m.data()).frame();
            case HostMessage.InputEnd m -> new FrameWriter(0x11, m.id().value()).frame();
            case HostMessage.OutputCredit m ->
                new FrameWriter(0x12, m.id().value()).u32(m.bytes()).frame();
        };
    }

    public static ByteBuffer encode(GuestMessage message) {
        return switch (message) {
            case GuestMessage.Hello m ->
                new FrameWriter(0x81, 0)
                        .u16(m.protocolVersion())
                        .u16(m.port())
                        .text(m.agentVersion())
                        .frame();
            case GuestMessage.Ready m -> {
                FrameWriter writer = new FrameWriter(0x82, 0).u32(m.stages().size());
                m.stages().forEach(stage -> writer.text(stage.name()).u32(stage.micros()));
                yield writer.frame();
            }
            case GuestMessage.Started m ->
                new FrameWriter(0x83, m.id().value()).u32(m.guestPid()).frame();
            case GuestMessage.Exited m ->
                new FrameWriter(0x84, m.id().value())
                        .u8(m.how().code())
                        .i32(m.code())
                        .u64(m.stdoutBytes())
                        .u64(m.stderrBytes())
                        .text(m.message())
                        .frame();
            case GuestMessage.Pong m -> new FrameWriter(0x85, m.nonce()).frame();
            case GuestMessage.Execed m -> execed(m);
            case GuestMessage.ExecsMissed m ->
                new FrameWriter(0x87, 0).u32(m.count()).frame();
            case GuestMessage.ExecAuditOff m ->
                new FrameWriter(0x88, 0).text(m.reason()).frame();
            case GuestMessage.Output m ->
                new FrameWriter(0x90, m.id().value())
                        .u8(m.stream().code())
                        .raw(m.data())
                        .frame();
            case GuestMessage.OutputEnd m ->
                new FrameWriter(0x91, m.id().value()).u8(m.stream().code()).frame();
            case GuestMessage.InputCredit m ->
                new FrameWriter(0x92, m.id().value()).u32(m.bytes()).frame();
        };
    }

    /// Reads one frame from the remaining bytes of `in`, whose position stays where it is.
    public static Decoded<HostMessage> decodeHost(ByteBuffer in) {
        return decode(in, GuestProtocol::hostMessage);
    }

    /// Reads one frame from the remaining bytes of `in`, whose position stays where it is.
    public static Decoded<GuestMessage> decodeGuest(ByteBuffer in) {
        return decode(in, GuestProtocol::guestMessage);
    }

    private interface BodyReader<M> {
        M read(int type, long id, FrameReader body) throws FrameReader.BadFrame;
    }

    private static <M> Decoded<M> decode(ByteBuffer in, BodyReader<M> reader) {
        int start = in.position();
        if (in.remaining() < Integer.BYTES) {
            return new Decoded.NeedMore<>();
        }
        long length = Integer.toUnsignedLong(in.getInt(start));
        if (length < FRAME_LENGTH_MIN || length > FRAME_LENGTH_MAX) {
            return new Decoded.Malformed<>("a frame length is out of bounds");
        }
        int total = Integer.BYTES + (int) length;
        if (in.remaining() < total) {
            return new Decoded.NeedMore<>();
        }
        FrameReader body = new FrameReader(in.slice(start + Integer.BYTES, (int) length));
        try {
            int type = body.u8();
            M message = reader.read(type, body.u32(), body);
            body.end();
            return new Decoded.Message<>(message, total);
        } catch (FrameReader.BadFrame e) {
            return new Decoded.Malformed<>(e.reason());
        }
    }

    private static HostMessage hostMessage(int type, long id, FrameReader body) throws FrameReader.BadFrame {
        return switch (type) {
            case 0x01 -> {
                noId(id);
                yield new HostMessage.Boot(body.u64(), body.text(), body.environment());
            }
            case 0x02 ->
                new HostMessage.Exec(
                        new ExecId(id),
                        body.u8(),
                        body.u16(),
                        body.u16(),
                        body.text(),
                        body.texts(),
                        body.environment());
            case 0x03 -> new HostMessage.Signal(new ExecId(id), body.u8());
            case 0x04 -> new HostMessage.Resize(new ExecId(id), body.u16(), body.u16());
            case 0x05 -> {
                noId(id);
                yield new HostMessage.Shutdown(body.u32());
            }
            case 0x06 -> new HostMessage.Ping(id, body.u64());
            case 0x10 -> new HostMessage.Input(new ExecId(id), body.rest());
            case 0x11 -> new HostMessage.InputEnd(new ExecId(id));
            case 0x12 -> new HostMessage.OutputCredit(new ExecId(id), body.u32());
            default -> throw new FrameReader.BadFrame("the message type is not one of the host's");
        };
    }

    private static GuestMessage guestMessage(int type, long id, FrameReader body) throws FrameReader.BadFrame {
        return switch (type) {
            case 0x81 -> {
                noId(id);
                yield new GuestMessage.Hello(body.u16(), body.u16(), body.text());
            }
            case 0x82 -> {
                noId(id);
                yield new GuestMessage.Ready(body.stages());
            }
            case 0x83 -> new GuestMessage.Started(new ExecId(id), body.u32());
            case 0x84 ->
                new GuestMessage.Exited(
                        new ExecId(id),
                        body.oneOf(GuestMessage.How.values(), GuestMessage.How::code),
                        body.i32(),
                        body.u64(),
                        body.u64(),
                        body.text());
            case 0x85 -> new GuestMessage.Pong(id);
            case 0x86 -> {
                noId(id);
                yield execed(body);
            }
            case 0x87 -> {
                noId(id);
                yield new GuestMessage.ExecsMissed(body.u32());
            }
            case 0x88 -> {
                noId(id);
                yield new GuestMessage.ExecAuditOff(body.text());
            }
            case 0x90 -> new GuestMessage.Output(new ExecId(id), stream(body), output(body));
            case 0x91 -> new GuestMessage.OutputEnd(new ExecId(id), stream(body));
            case 0x92 -> new GuestMessage.InputCredit(new ExecId(id), body.u32());
            default -> throw new FrameReader.BadFrame("the message type is not one of the guest's");
        };
    }

    private static ByteBuffer execed(GuestMessage.Execed m) {
        return new FrameWriter(0x86, 0)
                .u32(m.pid())
                .u32(m.parentPid())
                .u32(m.uid())
                .u32(m.session())
                .u8((m.isCut() ? GuestMessage.Execed.CUT : 0) | (m.isUnreadable() ? GuestMessage.Execed.UNREADABLE : 0))
                .text(m.program())
                .text(m.directory())
                .text(m.terminal())
                .text(m.parentProgram())
                .texts(m.argv())
                .frame();
    }

    private static GuestMessage.Execed execed(FrameReader body) throws FrameReader.BadFrame {
        long pid = body.u32();
        long parent = body.u32();
        long uid = body.u32();
        long session = body.u32();
        int flags = body.u8();
        if ((flags & ~(GuestMessage.Execed.CUT | GuestMessage.Execed.UNREADABLE)) != 0) {
            throw new FrameReader.BadFrame("a flag is unknown");
        }
        return new GuestMessage.Execed(
                pid,
                parent,
                uid,
                session,
                (flags & GuestMessage.Execed.CUT) != 0,
                (flags & GuestMessage.Execed.UNREADABLE) != 0,
                body.text(),
                body.text(),
                body.text(),
                body.text(),
                body.texts());
    }

    private static void noId(long id) throws FrameReader.BadFrame {
        if (id != 0) {
            throw new FrameReader.BadFrame("unexpected exec id in this frame");
        }
    }

    private static OutputStreamName stream(FrameReader body) throws FrameReader.BadFrame {
        return body.oneOf(OutputStreamName.values(), OutputStreamName::code);
    }

    private static byte[] output(FrameReader body) throws FrameReader.BadFrame {
        byte[] data = body.rest();
        if (data.length > DATA_BYTES_MAX) {
            throw new FrameReader.BadFrame("an output frame carries too much");
        }
        return data;
    }
}
