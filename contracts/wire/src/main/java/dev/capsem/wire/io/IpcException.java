package dev.capsem.wire.io;

/// An IPC connection that could not be made, was lost or broke the protocol. Whoever catches it
/// logs [dev.capsem.wire.ipc.IpcProtocol#DROPPED_EVENT].
public final class IpcException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public enum Code {
        /// Nobody listens there.
        UNREACHABLE,
        /// No Hello in time, or one of another version or schema.
        HANDSHAKE,
        /// The other side broke the framing or sent an unknown message.
        MALFORMED,
        /// A message that does not belong where it came.
        UNEXPECTED,
        /// The connection ended in the middle of something.
        LOST
    }

    private final Code code;

    public IpcException(Code code, String message) {
        super(message);
        this.code = code;
    }

    public IpcException(Code code, String message, Throwable cause) {
        super(message, cause);
        this.code = code;
    }

    public Code code() {
        return code;
    }
}
