package dev.capsem.wire.guest;

import java.util.List;

/// A message of the agent. The guest is hostile: a decoded message is well-formed, not true.
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

    /// A program starts inside. What it says of itself attributes and never permits: the guest can change its arguments
    /// after they were read.
    ///
    /// @param session the pid of the command under which it runs, unless it left that session
    /// @param directory empty where it could not be read, and so are the other texts
    /// @param isCut arguments are missing at the end
    /// @param isUnreadable the process hides its memory: program and arguments are not known
    record Execed(
            long pid,
            long parentPid,
            long uid,
            long session,
            boolean isCut,
            boolean isUnreadable,
            String program,
            String directory,
            String terminal,
            String parentProgram,
            List<String> argv)
            implements GuestMessage {
        /// On the wire.
        static final int CUT = 1;

        static final int UNREADABLE = 2;

        public Execed {
            argv = List.copyOf(argv);
        }
    }

    /// So many programs started that were not told of: they came too fast.
    record ExecsMissed(long count) implements GuestMessage {}

    /// Programs that start are not told of at all; comes once, after Ready.
    ///
    /// @param reason of the kernel
    record ExecAuditOff(String reason) implements GuestMessage {}

    record Output(ExecId id, OutputStreamName stream, byte[] data) implements GuestMessage {}

    record OutputEnd(ExecId id, OutputStreamName stream) implements GuestMessage {}

    record InputCredit(ExecId id, long bytes) implements GuestMessage {}
}
