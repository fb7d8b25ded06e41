package dev.capsem.events.row;

import dev.capsem.events.vocabulary.TraceId;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/// A process was started inside the sandbox, as seen by the guest's audit.
///
/// @param argv the arguments as one text
/// @param auditSession the kernel's audit session number
/// @param execEventId the `exec_events` row under which it ran
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
        OptionalLong execEventId,
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
        out.integer(execEventId);
        out.text(parentExecutable);
        out.id(traceId);
    }
}
