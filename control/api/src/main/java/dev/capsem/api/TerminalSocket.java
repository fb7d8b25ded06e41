package dev.capsem.api;

import dev.capsem.http.HttpProblem;
import dev.capsem.http.WebSocketHandler;
import dev.capsem.service.commands.CommandStream;
import dev.capsem.service.commands.Commands;
import dev.capsem.service.commands.InteractiveCommand;
import dev.capsem.service.problem.ServiceProblem;
import dev.capsem.wire.json.Json;
import dev.capsem.wire.json.JsonShapeException;
import dev.capsem.wire.service.ExecEvent;
import dev.capsem.wire.service.ServiceError;
import dev.capsem.wire.service.TerminalControl;
import dev.capsem.wire.service.TerminalStart;
import java.nio.ByteBuffer;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/// One WebSocket that runs one command: the first text frame starts it, binary frames are its input and output, the
/// last text frame says how it ended.
final class TerminalSocket implements WebSocketHandler {
    private final InteractiveCommand command;
    private volatile @Nullable Peer client;

    TerminalSocket(String sandbox, Commands commands) {
        this.command = new InteractiveCommand(commands, sandbox);
    }

    @Override
    public void opened(Peer peer) {
        client = peer;
    }

    @Override
    public boolean text(String frame) {
        Peer peer = client;
        if (peer == null) {
            return false;
        }
        try {
            JsonNode json = Json.parse(frame);
            if (command.isStarted()) {
                TerminalControl.fromJson(json).ifPresent(control -> command.send(stream -> pass(control, stream)));
            } else {
                TerminalStart start = TerminalStart.fromJson(json);
                command.start(start, new Frames(peer, start.tty()));
            }
            return true;
        } catch (JsonShapeException e) {
            end(peer, misshapen(e, "send the frames the reference names"));
        } catch (ServiceProblem e) {
            end(peer, ServiceErrors.error(e));
        }
        return false;
    }

    private static void pass(TerminalControl control, CommandStream stream) {
        switch (control) {
            case TerminalControl.Resize resize -> stream.resize(resize.rows(), resize.columns());
            case TerminalControl.Signal signal -> stream.signal(signal.number());
            case TerminalControl.InputEnd _ -> stream.endInput();
        }
    }

    @Override
    public boolean binary(ByteBuffer frame) {
        Peer peer = client;
        if (peer == null) {
            return false;
        }
        if (!command.isStarted()) {
            JsonShapeException early = new JsonShapeException("the first frame must be text and hold \"start\"");
            end(peer, misshapen(early, "send the start frame first"));
            return false;
        }
        command.send(stream -> stream.input(frame));
        return true;
    }

    @Override
    public void closed() {
        command.end();
    }

    private static ServiceError misshapen(JsonShapeException e, String remedy) {
        return new ServiceError(e.reason(), HttpProblem.Code.WRONG_SHAPE.wireName(), remedy);
    }

    private static void end(Peer peer, ServiceError error) {
        close(peer, error.toJson());
    }

    private static void close(Peer peer, ObjectNode last) {
        peer.sendLast(Json.text(last), peer::close);
    }

    /// A command's events as frames.
    ///
    /// @param tty its output is one stream, so that frames do not say which
    private record Frames(Peer peer, boolean tty) implements InteractiveCommand.Reader {
        private static final byte STDOUT = 1;
        private static final byte STDERR = 2;

        @Override
        public boolean take(ExecEvent event) {
            return switch (event) {
                case ExecEvent.Started _ -> true;
                case ExecEvent.Stdout out -> peer.send(output(STDOUT, out.data()));
                case ExecEvent.Stderr err -> peer.send(output(STDERR, err.data()));
                case ExecEvent.Exited exited -> {
                    close(peer, last(exited));
                    yield true;
                }
                case ExecEvent.Failed failed -> {
                    end(peer, failed.error());
                    yield true;
                }
            };
        }

        private ByteBuffer output(byte stream, byte[] data) {
            return tty
                    ? ByteBuffer.wrap(data)
                    : ByteBuffer.allocate(1 + data.length).put(stream).put(data).flip();
        }

        private static ObjectNode last(ExecEvent.Exited exited) {
            ObjectNode last = Json.object().put("exit_code", exited.exitCode());
            exited.message()
                    .or(() -> exited.timedOut()
                            ? Optional.of("the command was killed: its time was over")
                            : Optional.empty())
                    .ifPresent(message -> last.put("message", message));
            return last;
        }

        @Override
        public void lost() {
            end(
                    peer,
                    new ServiceError(
                            "the sandbox was lost while the command ran",
                            ServiceProblem.Code.SANDBOX_LOST.wireName(),
                            "see what became of it: `capsem list`"));
        }
    }
}
