package dev.capsem.wire.guest;

import java.util.List;

/// What the agent says. The guest is hostile: a decoded message is well-formed, not true.
public sealed interface GuestMessage {
    record Hello(int protocolVersion, int port, String agentVersion) implements GuestMessage {}

    record Ready(List<Stage> stages) implements GuestMessage {
        public Ready {
            stages = List.copyOf(stages);
        }
    }

    record Stage(String name, long micros) {}

    record Started(ExecId id, long guestPid) implements GuestMessage {}

    /// @param code exit code, signal number or errno, depending on `how`
    record Exited(ExecId id, How how, int code, long stdoutBytes, long stderrBytes, String message)
            implements GuestMessage {}

    enum How {
        EXITED(0),
        SIGNALED(1),
        NOT_STARTED(2);

        private final int code;

        How(int code) {
            this.code = code;
        }

        /// The number on the wire.
        public int code() {
            return code;
        }
    }

    record Pong(long nonce) implements GuestMessage {}

    record Output(ExecId id, OutputStreamName stream, byte[] data) implements GuestMessage {}

    record OutputEnd(ExecId id, OutputStreamName stream) implements GuestMessage {}

    record InputCredit(ExecId id, long bytes) implements GuestMessage {}
}
