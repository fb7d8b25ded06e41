package dev.capsem.process.guest;

import dev.capsem.wire.guest.GuestMessage;
import dev.capsem.wire.guest.GuestProtocol;
import dev.capsem.wire.guest.OutputStreamName;
import java.util.Optional;
import java.util.OptionalLong;

/// Where one command stands, as far as the messages received so far tell. They come on two connections, so in any
/// order between these.
///
/// @param unacknowledged output bytes received for which no credit was given back yet
record ExecState(
        boolean terminal,
        OptionalLong pid,
        StreamState stdout,
        StreamState stderr,
        long unacknowledged,
        Optional<GuestMessage.Exited> exited) {
    record StreamState(long bytes, boolean ended) {
        static final StreamState EMPTY = new StreamState(0, false);
    }

    /// The state after a message.
    sealed interface Step {
        record Next(ExecState state) implements Step {}

        /// The guest said something the protocol does not allow here.
        record Violation(String reason) implements Step {}
    }

    static ExecState initial(boolean terminal) {
        return new ExecState(terminal, OptionalLong.empty(), StreamState.EMPTY, StreamState.EMPTY, 0, Optional.empty());
    }

    /// Nothing more will come: the command ended and its streams did. A terminal has one stream.
    boolean isOver() {
        if (exited.isEmpty()) {
            return false;
        }
        return exited.get().how() == GuestMessage.How.NOT_STARTED || (stdout.ended && (terminal || stderr.ended));
    }

    StreamState stream(OutputStreamName name) {
        return name == OutputStreamName.STDOUT ? stdout : stderr;
    }

    Step started(long guestPid) {
        if (pid.isPresent() || exited.isPresent()) {
            return new Step.Violation("a command started twice");
        }
        return new Step.Next(
                new ExecState(terminal, OptionalLong.of(guestPid), stdout, stderr, unacknowledged, exited));
    }

    Step output(OutputStreamName name, int bytes) {
        StreamState stream = stream(name);
        if (stream.ended) {
            return new Step.Violation("output came after its end");
        }
        if (unacknowledged + bytes > GuestProtocol.CREDIT_BYTES_INITIAL) {
            return new Step.Violation("output came without credit");
        }
        return new Step.Next(
                with(name, new StreamState(stream.bytes + bytes, false)).unacknowledged(unacknowledged + bytes));
    }

    Step outputEnd(OutputStreamName name) {
        StreamState stream = stream(name);
        if (stream.ended) {
            return new Step.Violation("a stream ended twice");
        }
        return new Step.Next(with(name, new StreamState(stream.bytes, true)));
    }

    Step exited(GuestMessage.Exited how) {
        if (exited.isPresent()) {
            return new Step.Violation("a command ended twice");
        }
        return new Step.Next(new ExecState(terminal, pid, stdout, stderr, unacknowledged, Optional.of(how)));
    }

    /// We give back credit for bytes we dealt with.
    ExecState acknowledged(long bytes) {
        return unacknowledged(unacknowledged - bytes);
    }

    private ExecState unacknowledged(long bytes) {
        return new ExecState(terminal, pid, stdout, stderr, bytes, exited);
    }

    private ExecState with(OutputStreamName name, StreamState stream) {
        return name == OutputStreamName.STDOUT
                ? new ExecState(terminal, pid, stream, stderr, unacknowledged, exited)
                : new ExecState(terminal, pid, stdout, stream, unacknowledged, exited);
    }
}
