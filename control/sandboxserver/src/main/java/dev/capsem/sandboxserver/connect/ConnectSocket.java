package dev.capsem.sandboxserver.connect;

import dev.capsem.http.WebSocketHandler;
import dev.capsem.sandboxserver.protocol.ApiProblem;
import dev.capsem.sandboxserver.protocol.ConnectFrames;
import dev.capsem.sandboxserver.protocol.Dialect;
import dev.capsem.service.commands.CommandStream;
import dev.capsem.service.commands.Commands;
import dev.capsem.service.commands.InteractiveCommand;
import dev.capsem.service.problem.ServiceProblem;
import dev.capsem.wire.json.Json;
import dev.capsem.wire.json.JsonMembers;
import dev.capsem.wire.json.JsonShapeException;
import dev.capsem.wire.service.ExecEvent;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/// A terminal in the Connect protocol: each binary message is one frame, the first opens the command, the last says
/// how it ended.
final class ConnectSocket implements WebSocketHandler, InteractiveCommand.Reader {
    static final String PROTOCOL = "connect.sandbox.v1";

    /// How long a client has to close after the last frame. Some read a frame only after they heard of the end of the
    /// connection, if that comes right behind it, and then know no exit code.
    private static final Duration LAST_WORD = Duration.ofSeconds(5);

    private final String sandbox;
    private final InteractiveCommand command;
    private volatile @Nullable Peer client;
    private final CountDownLatch closed = new CountDownLatch(1);

    ConnectSocket(String sandbox, Commands commands) {
        this.sandbox = sandbox;
        this.command = new InteractiveCommand(commands, sandbox);
    }

    @Override
    public void opened(Peer peer) {
        client = peer;
    }

    /// The protocol has none.
    @Override
    public boolean text(String frame) {
        return true;
    }

    @Override
    public boolean binary(ByteBuffer bytes) {
        try {
            for (JsonNode frame : ConnectFrames.read(bytes)) {
                take(JsonMembers.of(frame, ""));
            }
            return true;
        } catch (JsonShapeException e) {
            fail(new ApiProblem(ApiProblem.Code.INVALID_INPUT, e.reason(), "send the frames of the protocol"));
        } catch (ServiceProblem e) {
            fail(ApiProblem.of(e, ApiProblem.Code.EXEC_FAILED));
        } catch (ApiProblem e) {
            fail(e);
        }
        return false;
    }

    private void take(JsonMembers frame) {
        if (!command.isStarted()) {
            command.start(ExecOpen.terminal(frame.object("open")), this);
        } else if (frame.has("stdin")) {
            ByteBuffer input = ByteBuffer.wrap(frame.bytes("stdin"));
            command.send(stream -> stream.input(input));
        } else if (frame.has("resize")) {
            JsonMembers size = frame.object("resize");
            int rows = size.integer("rows", 1);
            int columns = size.integer("cols", 1);
            command.send(stream -> stream.resize(rows, columns));
        } else if (frame.flag("stdinClose", false)) {
            command.send(CommandStream::endInput);
        }
    }

    @Override
    public boolean take(ExecEvent event) {
        return switch (event) {
            case ExecEvent.Started _ -> true;
            case ExecEvent.Stdout out -> send("stdout", out.data());
            case ExecEvent.Stderr err -> send("stderr", err.data());
            case ExecEvent.Exited exited -> {
                ObjectNode last = Json.object();
                last.set("exit", Json.object().put("exitCode", exited.exitCode()));
                close(ConnectFrames.end(last));
                yield true;
            }
            case ExecEvent.Failed failed -> {
                fail(new ApiProblem(
                        ApiProblem.Code.EXEC_FAILED,
                        failed.error().error(),
                        failed.error().remedy()));
                yield true;
            }
        };
    }

    private boolean send(String stream, byte[] data) {
        Peer peer = client;
        ObjectNode json = Json.object().put(stream, ConnectApi.base64(data));
        return peer != null && peer.send(ByteBuffer.wrap(ConnectFrames.message(json)));
    }

    @Override
    public void lost() {
        fail(new ApiProblem(
                ApiProblem.Code.EXEC_FAILED, "the sandbox was lost while the command ran", "GET /v1/sandboxes"));
    }

    private void fail(ApiProblem problem) {
        close(Dialect.end(problem));
    }

    private void close(byte[] last) {
        Peer peer = client;
        if (peer != null) {
            peer.sendLast(
                    ByteBuffer.wrap(last),
                    () -> Thread.ofVirtual().name("terminal-end-" + sandbox).start(() -> closeAfterwards(peer)));
        }
    }

    private void closeAfterwards(Peer peer) {
        try {
            if (!closed.await(LAST_WORD.toMillis(), TimeUnit.MILLISECONDS)) {
                peer.close();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void closed() {
        closed.countDown();
        command.end();
    }
}
