package dev.capsem.events.row;

import java.time.Duration;
import java.util.Optional;

/// A command that an [ExecRow] announced has ended: fills the rest of that row.
///
/// @param stdoutBytes the true size, of which `stdoutPreview` may show the beginning only
public record ExecCompletion(
        long execId,
        int exitCode,
        Duration duration,
        Optional<String> stdoutPreview,
        Optional<String> stderrPreview,
        long stdoutBytes,
        long stderrBytes)
        implements Projection {
    public static final RowShape SHAPE = RowShape.of(
                    "exec_events",
                    "exec_id",
                    "exit_code",
                    "duration_ms",
                    "stdout_preview",
                    "stderr_preview",
                    "stdout_bytes",
                    "stderr_bytes")
            .completing("exec_events.end");

    @Override
    public RowShape shape() {
        return SHAPE;
    }

    @Override
    public void values(RowValues out) {
        out.integer(execId);
        out.integer(exitCode);
        out.millis(duration);
        out.text(stdoutPreview);
        out.text(stderrPreview);
        out.integer(stdoutBytes);
        out.integer(stderrBytes);
    }
}
