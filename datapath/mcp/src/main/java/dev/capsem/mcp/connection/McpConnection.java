package dev.capsem.mcp.connection;

import dev.capsem.wire.Decoded;
import dev.capsem.wire.aggregator.AggregatorEvent;
import dev.capsem.wire.aggregator.AggregatorEvent.ServerRequest;
import dev.capsem.wire.aggregator.Operation;
import dev.capsem.wire.io.TaskScope;
import dev.capsem.wire.jsonrpc.JsonRpc;
import dev.capsem.wire.jsonrpc.JsonRpc.Parsed;
import dev.capsem.wire.jsonrpc.JsonRpcError;
import dev.capsem.wire.jsonrpc.JsonRpcId;
import dev.capsem.wire.jsonrpc.JsonRpcMessage;
import dev.capsem.wire.jsonrpc.JsonRpcMessage.Failure;
import dev.capsem.wire.jsonrpc.JsonRpcMessage.Notification;
import dev.capsem.wire.jsonrpc.JsonRpcMessage.Request;
import dev.capsem.wire.jsonrpc.JsonRpcMessage.Result;
import dev.capsem.wire.mcp.McpFrame;
import dev.capsem.wire.mcp.McpFrames;
import dev.capsem.wire.mcp.McpFrames.Incoming;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ByteChannel;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// One connection of a guest's relay: reads frames, runs each request on a thread of its own, writes replies as they
/// come. Requests beyond the limit are not read until one of those under way is over.
public final class McpConnection {
    private static final Logger LOG = LoggerFactory.getLogger(McpConnection.class);
    private static final int READ_BYTES = 16 * 1024;
    private static final String UNKNOWN_PROCESS = "unknown";
    private static final byte[] NOTHING = {};
    private static final String NOT_READ = "the guest does not read its replies";

    private final EndpointDependencies parts;
    private final ByteChannel channel;
    private final String connectionName;
    private final Outbox outbox;
    private final Capacity capacity;
    private final Semaphore inFlight;
    private final StreamLedger streams = new StreamLedger();
    private final McpClientSession session;
    private final TaskScope tasks = new TaskScope("mcp", McpConnection::taskFailed);
    /// For the frame that is being read, until a request takes it over.
    private Capacity.Grant grant = Capacity.Grant.NONE;

    private volatile boolean isOverfull;

    /// @param capacity shared by all connections
    /// @param processName of the connection's META line
    public McpConnection(
            EndpointDependencies parts, Capacity capacity, ByteChannel channel, Optional<String> processName) {
        this.parts = parts;
        this.capacity = capacity;
        this.channel = channel;
        this.connectionName = processName.filter(name -> !name.isEmpty()).orElse(UNKNOWN_PROCESS);
        this.outbox = new Outbox(parts.limits().outboundMax(), parts.limits().outboundBytesMax(), capacity);
        this.inFlight = new Semaphore(parts.limits().inFlightMax());
        this.session = new McpClientSession(parts, this::sendUnasked);
    }

    /// Whether the client can answer such a request of a server's.
    public boolean isAble(String serverMethod) {
        return session.isAble(serverMethod);
    }

    /// Something a server said that belongs to no call. Must not wait.
    public void tell(AggregatorEvent.ServerNotification said) {
        session.serverNotification(said);
    }

    /// Something a server asks. Does not wait.
    public void ask(ServerRequest request) {
        if (!capacity.tryServerQuestion()) {
            LOG.atWarn()
                    .addKeyValue("server", request.server())
                    .addKeyValue("method", request.method())
                    .log("mcp.question.too_many");
            parts.backend()
                    .tell(new Operation.Answer(
                            request.token(),
                            new Operation.Outcome.Refusal(JsonRpcError.of(
                                    JsonRpcError.INTERNAL_ERROR,
                                    Capacity.SERVER_QUESTIONS_MAX + " questions wait for an answer already"))));
            return;
        }
        try {
            tasks.start(() -> {
                try {
                    session.serverRequest(request);
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                } finally {
                    capacity.serverQuestionOver();
                }
            });
        } catch (RejectedExecutionException e) {
            capacity.serverQuestionOver();
            LOG.atDebug().log("mcp.request.too_late");
        }
    }

    /// Until the guest closes its end and everything it asked is answered. Throws when the guest breaks the protocol
    /// or the connection breaks; what was under way is then given up.
    ///
    /// @param received what was read already
    public void run(ByteBuffer received) throws IOException {
        Future<?> writer = tasks.fork(() -> {
            outbox.writeTo(channel);
            return null;
        });
        try {
            read(received);
            inFlight.acquire(parts.limits().inFlightMax());
            outbox.end();
            writer.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException e) {
            throw new IOException(isOverfull ? NOT_READ : "the guest no longer reads", e.getCause());
        } catch (IOException e) {
            throw isOverfull ? new IOException(NOT_READ, e) : e;
        } finally {
            session.close();
            tasks.close();
            grant.giveBack();
            if (outbox.dropped() > 0) {
                LOG.atInfo().addKeyValue("count", outbox.dropped()).log("mcp.notifications.dropped");
            }
        }
    }

    private void read(ByteBuffer received) throws IOException, InterruptedException {
        int usual = received.remaining() + READ_BYTES;
        ByteBuffer buffer = ByteBuffer.allocate(usual);
        buffer.put(received);
        while (true) {
            buffer.flip();
            consume(buffer);
            OptionalLong announced = McpFrames.announced(buffer);
            buffer.compact();
            if (announced.isPresent() && announced.getAsLong() > buffer.capacity()) {
                grant = capacity.large(announced.getAsLong());
                buffer = moved(buffer, (int) announced.getAsLong());
            } else if (buffer.capacity() > usual && announced.orElse(buffer.position()) <= usual) {
                buffer = moved(buffer, usual);
            }
            if (channel.read(buffer) < 0) {
                if (buffer.position() >= McpFrames.LENGTH_BYTES) {
                    throw new IOException("the connection ended inside a frame");
                }
                return;
            }
        }
    }

    private static ByteBuffer moved(ByteBuffer from, int capacity) {
        ByteBuffer to = ByteBuffer.allocate(capacity);
        return to.put(from.flip());
    }

    private void consume(ByteBuffer buffer) throws IOException, InterruptedException {
        while (true) {
            switch (McpFrames.decode(buffer)) {
                case Decoded.NeedMore<Incoming> _ -> {
                    return;
                }
                case Decoded.Malformed<Incoming>(String reason) -> throw new IOException(reason);
                case Decoded.Message<Incoming>(Incoming incoming, int consumed) -> {
                    buffer.position(buffer.position() + consumed);
                    switch (incoming) {
                        case Incoming.Frame(McpFrame frame) -> received(frame);
                        case Incoming.Rejected(OptionalLong streamId, String reason) -> rejected(streamId, reason);
                    }
                    takeGrant().giveBack();
                }
            }
        }
    }

    private void rejected(OptionalLong streamId, String reason) throws InterruptedException {
        LOG.atWarn().addKeyValue("reason", reason).log("mcp.frame.invalid");
        if (streamId.isPresent()) {
            send(
                    streamId.getAsLong(),
                    UNKNOWN_PROCESS,
                    new Failure(Optional.empty(), JsonRpcError.of(JsonRpcError.INVALID_REQUEST, "invalid MCP frame")));
        }
    }

    private void received(McpFrame frame) throws IOException, InterruptedException {
        if (frame.isNotification()) {
            alone(frame);
            return;
        }
        if (!streams.open(frame.streamId())) {
            throw new IOException("a stream id was used before");
        }
        switch (JsonRpc.parse(frame.payload())) {
            case Parsed.Valid(Request request) -> start(frame, request);
            case Parsed.Valid(Notification _) ->
                send(
                        frame.streamId(),
                        frame.processName(),
                        new Failure(
                                Optional.empty(),
                                JsonRpcError.of(
                                        JsonRpcError.INVALID_REQUEST, "request stream is missing a JSON-RPC id")));
            // A relay that does not tell answers from requests opens a stream for them; it is closed at once.
            case Parsed.Valid(Result result) -> {
                session.response(result);
                sendNothing(frame);
            }
            case Parsed.Valid(Failure failure) -> {
                session.response(failure);
                sendNothing(frame);
            }
            case Parsed.Invalid(var id, JsonRpcError error) ->
                send(frame.streamId(), frame.processName(), new Failure(id, error));
        }
    }

    private void alone(McpFrame frame) {
        switch (JsonRpc.parse(frame.payload())) {
            case Parsed.Valid(Notification notification) -> session.notification(notification, processName(frame));
            case Parsed.Valid(Result result) -> session.response(result);
            case Parsed.Valid(Failure failure) -> session.response(failure);
            case Parsed.Valid(Request _) -> LOG.atWarn().log("mcp.notification.has_id");
            case Parsed.Invalid _ -> LOG.atWarn().log("mcp.notification.malformed");
        }
    }

    private Capacity.Grant takeGrant() {
        Capacity.Grant taken = grant;
        grant = Capacity.Grant.NONE;
        return taken;
    }

    private void start(McpFrame frame, Request request) throws InterruptedException {
        inFlight.acquire();
        capacity.begin();
        Capacity.Grant held = takeGrant();
        // Before the next frame is read, since that may cancel this request.
        CompletableFuture<Void> withdrawn = session.begin(request);
        tasks.start(() -> {
            try {
                run(frame, request, withdrawn);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } finally {
                held.giveBack();
                capacity.over();
                inFlight.release();
            }
        });
    }

    private void run(McpFrame frame, Request request, CompletableFuture<Void> withdrawn) throws InterruptedException {
        Optional<JsonRpcMessage> reply;
        try {
            reply = session.request(request, withdrawn, processName(frame), this::ask);
        } catch (RuntimeException e) {
            // The boundary of an exchange: our own bug ends it, and nothing else.
            LOG.atError().setCause(e).log("mcp.request.failed");
            reply = Optional.of(new Failure(
                    Optional.of(request.id()), JsonRpcError.of(JsonRpcError.INTERNAL_ERROR, "internal error")));
        }
        if (reply.isPresent()) {
            send(frame.streamId(), frame.processName(), reply.get());
        } else {
            sendNothing(frame);
        }
    }

    private void send(long streamId, String processName, JsonRpcMessage message) throws InterruptedException {
        byte[] payload = JsonRpc.bytes(message);
        if (!McpFrame.fits(processName, payload.length)) {
            Optional<JsonRpcId> id = message instanceof Result result
                    ? Optional.of(result.id())
                    : message instanceof Failure failure ? failure.id() : Optional.empty();
            payload = JsonRpc.bytes(new Failure(
                    id,
                    JsonRpcError.of(JsonRpcError.INTERNAL_ERROR, "response too large: " + payload.length + " bytes")));
        }
        put(new McpFrame(streamId, processName, payload));
    }

    private void put(McpFrame frame) throws InterruptedException {
        if (outbox.put(frame)) {
            return;
        }
        isOverfull = true;
        LOG.atWarn().addKeyValue("reason", NOT_READ).log("mcp.connection.closed");
        try {
            // Ends the waiting read and write, and with them the connection.
            channel.close();
        } catch (IOException e) {
            LOG.atDebug().setCause(e).log("mcp.connection.close.failed");
        }
    }

    /// Tells the relay that this stream is over, and the client nothing.
    private void sendNothing(McpFrame frame) throws InterruptedException {
        put(new McpFrame(frame.streamId(), frame.processName(), NOTHING));
    }

    private boolean sendUnasked(JsonRpcMessage message) {
        byte[] payload = JsonRpc.bytes(message);
        return McpFrame.fits("", payload.length) && outbox.offer(new McpFrame(0, "", payload));
    }

    private String processName(McpFrame frame) {
        return frame.processName().isEmpty() ? connectionName : frame.processName();
    }

    private static void taskFailed(Thread thread, Throwable failure) {
        LOG.atError().setCause(failure).log("mcp.task.failed");
    }
}
