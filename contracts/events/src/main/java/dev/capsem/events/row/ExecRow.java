package dev.capsem.events.row;

import dev.capsem.events.vocabulary.TraceId;
import dev.capsem.events.vocabulary.WireNamed;
import java.time.Instant;
import java.util.Locale;
import java.util.Optional;

/// A command was started through the API. Its end is an [ExecCompletion]; a row without one is still running, or
/// its sandbox died.
///
/// @param execId unique within the session, also across restarts of its process
/// @param command as history shows it
public record ExecRow(Instant at, long execId, String command, Source source, Optional<TraceId> traceId, Caller caller)
        implements Projection {
    public static final RowShape SHAPE =
            RowShape.of("exec_events", "timestamp", "exec_id", "command", "source", "trace_id", "process_name", "pid");

    /// The source of the command.
    public enum Source implements WireNamed {
        API,
        CLI,
        MCP,
        RUN,
        SHELL;

        private final String wireName = name().toLowerCase(Locale.ROOT);

        @Override
        public String wireName() {
            return wireName;
        }
    }

    @Override
    public RowShape shape() {
        return SHAPE;
    }

    @Override
    public void values(RowValues out) {
        out.at(at);
        out.integer(execId);
        out.text(command);
        out.name(source);
        out.id(traceId);
        caller.values(out);
    }
}
