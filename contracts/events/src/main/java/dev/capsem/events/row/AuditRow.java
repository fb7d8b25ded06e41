package dev.capsem.events.row;

import dev.capsem.events.vocabulary.TraceId;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/// A process was started inside the sandbox, as seen by the guest's audit.
///
/// @param argv the arguments as one text
/// @param auditSession the session in the guest: the pid of the command that began it
/// @param execId of the command under which it ran; the store writes that command's `exec_events` row
public record AuditRow(
        Instant at,
        long pid,
        long parentPid,
        long uid,
        String executable,
        Optional<String> shortName,
        String argv,
        Optional<String> workingDirectory,
        OptionalInt exitCode,
        OptionalLong auditSession,
        Optional<String> terminal,
        Optional<String> auditId,
        OptionalLong execId,
        Optional<String> parentExecutable,
        Optional<TraceId> traceId)
        implements Projection {
    public static final RowShape SHAPE = RowShape.of(
            "audit_events",
            "timestamp",
            "pid",
            "ppid",
            "uid",
            "exe",
            "comm",
            "argv",
            "cwd",
            "exit_code",
            "session_id",
            "tty",
            "audit_id",
            "exec_event_id",
            "parent_exe",
            "trace_id");

    /// With the row of its command in place of the command's id.
    public AuditRow of(OptionalLong execEvent) {
        return new AuditRow(
                at,
                pid,
                parentPid,
                uid,
                executable,
                shortName,
                argv,
                workingDirectory,
                exitCode,
                auditSession,
                terminal,
                auditId,
                execEvent,
                parentExecutable,
                traceId);
    }

    @Override
    public RowShape shape() {
        return SHAPE;
    }

    @Override
    public void values(RowValues out) {
        out.at(at);
        out.integer(pid);
        out.integer(parentPid);
        out.integer(uid);
        out.text(executable);
        out.text(shortName);
        out.text(argv);
        out.text(workingDirectory);
        out.integer(exitCode);
        out.integer(auditSession);
        out.text(terminal);
        out.text(auditId);
        out.integer(execId);
        out.text(parentExecutable);
        out.id(traceId);
    }
}
