package dev.capsem.hostmcp.tools;

import dev.capsem.wire.service.ExecEvent;
import dev.capsem.wire.service.ExecReply;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import tools.jackson.databind.node.ObjectNode;

/// Gathers what a streamed command says into one answer.
final class CommandOutcome {
    /// More than any model reads at once; the rest is counted, not kept.
    static final int STREAM_BYTES_MAX = 1_048_576;

    private final Consumer<String> news;
    private final ByteArrayOutputStream stdout = new ByteArrayOutputStream();
    private final ByteArrayOutputStream stderr = new ByteArrayOutputStream();
    private List<String> warnings = List.of();
    private boolean isTruncated;
    private Optional<ExecEvent.Exited> end = Optional.empty();

    /// @param news told output as it comes
    CommandOutcome(Consumer<String> news) {
        this.news = news;
    }

    void take(ExecEvent event) {
        switch (event) {
            case ExecEvent.Started started -> warnings = started.warnings();
            case ExecEvent.Stdout(byte[] data) -> keep(stdout, data);
            case ExecEvent.Stderr(byte[] data) -> keep(stderr, data);
            case ExecEvent.Exited exited -> end = Optional.of(exited);
            case ExecEvent.Failed failed -> throw Replies.refused(200, failed.error());
        }
    }

    private void keep(ByteArrayOutputStream stream, byte[] data) {
        int kept = Math.min(data.length, STREAM_BYTES_MAX - stream.size());
        stream.write(data, 0, kept);
        isTruncated |= kept < data.length;
        news.accept(new String(data, StandardCharsets.UTF_8));
    }

    ObjectNode toJson() {
        ExecEvent.Exited exited =
                end.orElseThrow(() -> new IllegalStateException("a command's events end with its exit"));
        return new ExecReply(
                        stdout.toString(StandardCharsets.UTF_8),
                        stderr.toString(StandardCharsets.UTF_8),
                        exited.exitCode(),
                        exited.durationMs(),
                        exited.stdoutBytes(),
                        exited.stderrBytes(),
                        isTruncated,
                        exited.timedOut(),
                        exited.message(),
                        warnings)
                .toJson();
    }
}
