package dev.capsem.toolserver;

import dev.capsem.wire.aggregator.LineSplitter;
import dev.capsem.wire.aggregator.LineSplitter.Cut;
import dev.capsem.wire.jsonrpc.JsonRpc;
import dev.capsem.wire.jsonrpc.JsonRpc.Parsed;
import dev.capsem.wire.jsonrpc.JsonRpcError;
import dev.capsem.wire.jsonrpc.JsonRpcId;
import dev.capsem.wire.jsonrpc.JsonRpcMessage;
import dev.capsem.wire.jsonrpc.JsonRpcMessage.Failure;
import dev.capsem.wire.jsonrpc.JsonRpcMessage.Notification;
import dev.capsem.wire.jsonrpc.JsonRpcMessage.Request;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/// A session over lines: one message each, in on one stream and out on another.
public final class StdioShell {
    /// A file of 10 MiB in base64 and what stands around it; a longer line is answered with an error.
    public static final int LINE_BYTES_MAX = 16 * 1_048_576;
    /// Clients that pipe a script in and wait for the answers still get them.
    private static final Duration LAST_CALLS_WAIT = Duration.ofSeconds(10);

    private static final Duration LAST_CALLS_POLL = Duration.ofMillis(10);
    private static final int READ_BYTES = 64 * 1_024;

    private final ServerSession session;
    private final Consumer<String> log;
    private final OutputStream out;
    /// Those not answered yet.
    private final AtomicInteger calls = new AtomicInteger();

    /// Guards `out`.
    private final ReentrantLock lock = new ReentrantLock();

    public StdioShell(ToolServer server, OutputStream out, Consumer<String> log) {
        this.session = new ServerSession(server, log);
        this.out = out;
        this.log = log;
    }

    /// Until the input ends.
    public void run(InputStream in) throws InterruptedException {
        LineSplitter lines = new LineSplitter(LINE_BYTES_MAX);
        byte[] chunk = new byte[READ_BYTES];
        try {
            for (int count = in.read(chunk); count >= 0; count = in.read(chunk)) {
                lines.feed(chunk, count, this::received);
            }
        } catch (IOException e) {
            log.accept("the input failed");
        }
        long deadline = System.nanoTime() + LAST_CALLS_WAIT.toNanos();
        while (calls.get() > 0 && System.nanoTime() < deadline) {
            Thread.sleep(LAST_CALLS_POLL);
        }
        session.close();
    }

    private void received(Cut cut) {
        switch (cut) {
            case Cut.TooLong _ ->
                send(new Failure(
                        Optional.empty(),
                        JsonRpcError.of(
                                JsonRpcError.INVALID_REQUEST, "a line is longer than " + LINE_BYTES_MAX + " bytes")));
            case Cut.Line(byte[] line) -> {
                if (!isBlank(line)) {
                    received(line);
                }
            }
        }
    }

    private void received(byte[] line) {
        switch (JsonRpc.parse(line, LINE_BYTES_MAX)) {
            case Parsed.Valid(Request request) -> {
                Runnable work = session.begin(request, this::send);
                if (ServerSession.isQuick(request)) {
                    work.run();
                } else {
                    begin(work);
                }
            }
            case Parsed.Valid(Notification notification) -> session.noted(notification);
            case Parsed.Valid(JsonRpcMessage _) -> log.accept("ignored a response with no matching request");
            case Parsed.Invalid(Optional<JsonRpcId> id, JsonRpcError error) -> send(new Failure(id, error));
        }
    }

    private void begin(Runnable work) {
        calls.incrementAndGet();
        Thread.ofVirtual().name("call").start(() -> {
            try {
                work.run();
            } finally {
                calls.decrementAndGet();
            }
        });
    }

    private void send(JsonRpcMessage message) {
        byte[] json = JsonRpc.bytes(message);
        byte[] line = Arrays.copyOf(json, json.length + 1);
        line[json.length] = '\n';
        lock.lock();
        try {
            out.write(line);
            out.flush();
        } catch (IOException e) {
            // The client is gone; the end of the input says so too.
        } finally {
            lock.unlock();
        }
    }

    private static boolean isBlank(byte[] line) {
        for (byte value : line) {
            if (value != ' ' && value != '\t' && value != '\r') {
                return false;
            }
        }
        return true;
    }
}
