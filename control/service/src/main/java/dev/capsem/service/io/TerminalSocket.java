package dev.capsem.service.io;

import dev.capsem.service.api.ServiceErrors;
import dev.capsem.service.problem.ServiceProblem;
import dev.capsem.service.sandboxes.Commands;
import dev.capsem.service.sandboxes.ProcessLink;
import dev.capsem.wire.io.IpcException;
import dev.capsem.wire.ipc.IpcProtocol;
import dev.capsem.wire.ipc.ProcessMessage;
import dev.capsem.wire.ipc.ServiceMessage;
import dev.capsem.wire.json.Json;
import dev.capsem.wire.json.JsonShapeException;
import dev.capsem.wire.service.ServiceError;
import dev.capsem.wire.service.TerminalControl;
import dev.capsem.wire.service.TerminalStart;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import org.eclipse.jetty.websocket.api.Callback;
import org.eclipse.jetty.websocket.api.Session;
import org.eclipse.jetty.websocket.api.StatusCode;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/// One WebSocket that runs one command: the first text frame starts it, binary frames are its input and output, the
/// last text frame says how it ended. Frames are asked for one at a time, so a slow command slows its client down.
public final class TerminalSocket implements Session.Listener {
    private final String sandbox;
    private final Commands commands;
    private volatile @Nullable Session session;
    private volatile @Nullable ProcessLink link;

    TerminalSocket(String sandbox, Commands commands) {
        this.sandbox = sandbox;
        this.commands = commands;
    }

    @Override
    public void onWebSocketOpen(Session opened) {
        session = opened;
        opened.demand();
    }

    @Override
    public void onWebSocketText(String text) {
        Session open = session;
        ProcessLink running = link;
        if (open == null) {
            return;
        }
        try {
            JsonNode json = Json.parse(text);
            if (running == null) {
                start(open, TerminalStart.fromJson(json));
            } else {
                passOn(() -> control(running, json));
            }
            open.demand();
        } catch (JsonShapeException e) {
            end(
                    open,
                    new ServiceError(
                            e.reason(),
                            ServiceProblem.Code.WRONG_SHAPE.wireName(),
                            "send the frames the reference names"));
        } catch (ServiceProblem e) {
            end(open, ServiceErrors.error(e));
        } catch (IpcException e) {
            end(open, lost());
        }
    }

    private void start(Session open, TerminalStart start) {
        ProcessLink started = commands.start(sandbox, start);
        link = started;
        Thread.ofVirtual().name("terminal-" + sandbox).start(() -> pump(open, started, start.tty()));
    }

    private static void control(ProcessLink running, JsonNode json) {
        Optional<TerminalControl> control = TerminalControl.fromJson(json);
        if (control.isEmpty()) {
            return;
        }
        switch (control.get()) {
            case TerminalControl.Resize resize ->
                running.send(new ServiceMessage.Resize(resize.rows(), resize.columns()));
            case TerminalControl.Signal signal -> running.send(new ServiceMessage.Signal(signal.number()));
            case TerminalControl.InputEnd _ -> running.send(new ServiceMessage.InputEnd());
        }
    }

    /// Input and control may arrive when the command is over and its end is on the way, or when the sandbox is gone:
    /// either way the pump has the last word.
    private static boolean passOn(Runnable message) {
        try {
            message.run();
            return true;
        } catch (IpcException e) {
            return false;
        }
    }

    @Override
    public void onWebSocketBinary(ByteBuffer payload, Callback callback) {
        Session open = session;
        ProcessLink running = link;
        if (open == null) {
            return;
        }
        try {
            if (running == null) {
                throw new JsonShapeException("the first frame must be text and hold \"start\"");
            }
            boolean taken = true;
            while (taken && payload.hasRemaining()) {
                byte[] data = new byte[Math.min(payload.remaining(), IpcProtocol.DATA_BYTES_MAX)];
                payload.get(data);
                taken = passOn(() -> running.send(new ServiceMessage.Input(data)));
            }
            callback.succeed();
            open.demand();
        } catch (JsonShapeException e) {
            callback.succeed();
            end(
                    open,
                    new ServiceError(
                            e.reason(), ServiceProblem.Code.WRONG_SHAPE.wireName(), "send the start frame first"));
        }
    }

    private void pump(Session open, ProcessLink running, boolean tty) {
        try (running) {
            for (var message = running.receive(); message.isPresent(); message = running.receive()) {
                switch (message.get()) {
                    case ProcessMessage.Output output -> send(open, output, tty);
                    case ProcessMessage.Exited exited -> {
                        finish(open, exited);
                        return;
                    }
                    case ProcessMessage.Failed failed -> {
                        end(open, new ServiceError(failed.cause(), failed.code(), failed.remedy()));
                        return;
                    }
                    default -> {}
                }
            }
            end(open, lost());
        } catch (IpcException e) {
            end(open, lost());
        } catch (CompletionException e) {
            // The client went away; leaving this block kills the command.
        }
    }

    private static void send(Session open, ProcessMessage.Output output, boolean tty) {
        ByteBuffer frame = tty
                ? ByteBuffer.wrap(output.data())
                : ByteBuffer.allocate(1 + output.data().length)
                        .put((byte) output.stream())
                        .put(output.data())
                        .flip();
        Callback.Completable sent = new Callback.Completable();
        open.sendBinary(frame, sent);
        sent.join();
    }

    private static void finish(Session open, ProcessMessage.Exited exited) {
        ObjectNode last = Json.object().put("exit_code", exited.exitCode());
        exited.message()
                .or(() ->
                        exited.timedOut() ? Optional.of("the command was killed: its time was over") : Optional.empty())
                .ifPresent(message -> last.put("message", message));
        close(open, last);
    }

    private static ServiceError lost() {
        return new ServiceError(
                "the sandbox was lost while the command ran",
                ServiceProblem.Code.SANDBOX_LOST.wireName(),
                "see what became of it: `capsem list`");
    }

    private static void end(Session open, ServiceError error) {
        close(open, error.toJson());
    }

    private static void close(Session open, ObjectNode last) {
        Callback.Completable sent = new Callback.Completable();
        open.sendText(Json.text(last), sent);
        var _ = sent.whenComplete((_, _) -> open.close(StatusCode.NORMAL, null, Callback.NOOP));
    }

    @Override
    public void onWebSocketClose(int statusCode, String reason, Callback callback) {
        callback.succeed();
        ProcessLink running = link;
        if (running != null) {
            running.close();
        }
    }

    @Override
    public void onWebSocketError(Throwable cause) {
        ProcessLink running = link;
        if (running != null) {
            running.close();
        }
    }
}
