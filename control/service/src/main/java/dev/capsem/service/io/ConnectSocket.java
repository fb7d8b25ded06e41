package dev.capsem.service.io;

import dev.capsem.service.problem.ServiceProblem;
import dev.capsem.service.sandboxes.Commands;
import dev.capsem.service.sandboxes.ProcessLink;
import dev.capsem.service.v1.ApiProblem;
import dev.capsem.service.v1.ConnectFrames;
import dev.capsem.service.v1.Dialect;
import dev.capsem.service.v1.connect.ExecOpen;
import dev.capsem.wire.io.IpcException;
import dev.capsem.wire.ipc.IpcProtocol;
import dev.capsem.wire.ipc.ProcessMessage;
import dev.capsem.wire.ipc.ServiceMessage;
import dev.capsem.wire.json.Json;
import dev.capsem.wire.json.JsonMembers;
import dev.capsem.wire.json.JsonShapeException;
import dev.capsem.wire.service.TerminalStart;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.Base64;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.websocket.api.Callback;
import org.eclipse.jetty.websocket.api.Session;
import org.eclipse.jetty.websocket.api.StatusCode;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/// A terminal in the Connect protocol: each binary message is one frame, the first opens the command, the last says
/// how it ended.
public final class ConnectSocket implements Session.Listener {
    static final String PROTOCOL = "connect.sandbox.v1";

    /// How long a client has to close after the last frame. Some read a frame only after they heard of the end of the
    /// connection, if that comes right behind it, and then know no exit code.
    private static final Duration LAST_WORD = Duration.ofSeconds(5);

    private final String sandbox;
    private final Commands commands;
    private volatile @Nullable Session session;
    private volatile @Nullable ProcessLink link;
    private final CountDownLatch closed = new CountDownLatch(1);

    ConnectSocket(String sandbox, Commands commands) {
        this.sandbox = sandbox;
        this.commands = commands;
    }

    @Override
    public void onWebSocketOpen(Session opened) {
        session = opened;
        opened.demand();
    }

    @Override
    public void onWebSocketBinary(ByteBuffer payload, Callback callback) {
        Session open = session;
        if (open == null) {
            return;
        }
        try {
            for (JsonNode frame : ConnectFrames.read(payload)) {
                take(open, JsonMembers.of(frame, ""));
            }
            callback.succeed();
            open.demand();
        } catch (JsonShapeException e) {
            callback.succeed();
            fail(open, new ApiProblem(ApiProblem.Code.INVALID_INPUT, e.reason(), "send the frames of the protocol"));
        } catch (ServiceProblem e) {
            callback.succeed();
            fail(open, ApiProblem.of(e, ApiProblem.Code.EXEC_FAILED));
        } catch (ApiProblem e) {
            callback.succeed();
            fail(open, e);
        }
    }

    private void take(Session open, JsonMembers frame) {
        ProcessLink running = link;
        if (running == null) {
            TerminalStart start = ExecOpen.terminal(frame.object("open"));
            ProcessLink started = commands.start(sandbox, start);
            link = started;
            Thread.ofVirtual().name("terminal-" + sandbox).start(() -> pump(open, started));
            return;
        }
        try {
            if (frame.has("stdin")) {
                input(running, frame.bytes("stdin"));
            } else if (frame.has("resize")) {
                JsonMembers size = frame.object("resize");
                running.send(new ServiceMessage.Resize(size.integer("rows", 1), size.integer("cols", 1)));
            } else if (frame.flag("stdinClose", false)) {
                running.send(new ServiceMessage.InputEnd());
            }
        } catch (IpcException e) {
            // The command is over, and its end is on the way.
        }
    }

    private static void input(ProcessLink running, byte[] bytes) {
        for (int from = 0; from < bytes.length; from += IpcProtocol.DATA_BYTES_MAX) {
            int to = Math.min(bytes.length, from + IpcProtocol.DATA_BYTES_MAX);
            running.send(new ServiceMessage.Input(Arrays.copyOfRange(bytes, from, to)));
        }
    }

    private void pump(Session open, ProcessLink running) {
        try (running) {
            for (var message = running.receive(); message.isPresent(); message = running.receive()) {
                switch (message.get()) {
                    case ProcessMessage.Output output -> send(open, output);
                    case ProcessMessage.Exited exited -> {
                        ObjectNode last = Json.object();
                        last.set("exit", Json.object().put("exitCode", exited.exitCode()));
                        close(open, ConnectFrames.end(last));
                        return;
                    }
                    case ProcessMessage.Failed failed -> {
                        fail(open, new ApiProblem(ApiProblem.Code.EXEC_FAILED, failed.cause(), failed.remedy()));
                        return;
                    }
                    default -> {}
                }
            }
            fail(open, lost());
        } catch (IpcException e) {
            fail(open, lost());
        } catch (CompletionException e) {
            // The client went away; leaving this block kills the command.
        }
    }

    private static void send(Session open, ProcessMessage.Output output) {
        String name = output.stream() == 2 ? "stderr" : "stdout";
        ObjectNode json = Json.object().put(name, Base64.getEncoder().encodeToString(output.data()));
        Callback.Completable sent = new Callback.Completable();
        open.sendBinary(ByteBuffer.wrap(ConnectFrames.message(json)), sent);
        sent.join();
    }

    private static ApiProblem lost() {
        return new ApiProblem(
                ApiProblem.Code.EXEC_FAILED, "the sandbox was lost while the command ran", "GET /v1/sandboxes");
    }

    private void fail(Session open, ApiProblem problem) {
        close(open, Dialect.end(problem));
    }

    private void close(Session open, byte[] last) {
        Callback.Completable sent = new Callback.Completable();
        open.sendBinary(ByteBuffer.wrap(last), sent);
        var _ = sent.whenComplete(
                (_, _) -> Thread.ofVirtual().name("terminal-end-" + sandbox).start(() -> closeAfterwards(open)));
    }

    private void closeAfterwards(Session open) {
        try {
            if (!closed.await(LAST_WORD.toMillis(), TimeUnit.MILLISECONDS)) {
                open.close(StatusCode.NORMAL, null, Callback.NOOP);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void onWebSocketClose(int statusCode, String reason, Callback callback) {
        callback.succeed();
        closed.countDown();
        endCommand();
    }

    @Override
    public void onWebSocketError(Throwable cause) {
        closed.countDown();
        endCommand();
    }

    private void endCommand() {
        ProcessLink running = link;
        if (running != null) {
            running.close();
        }
    }
}
